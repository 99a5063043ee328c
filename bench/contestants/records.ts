/** The fields of the upstream's records that the contestants read. */

export interface Merchant {
  readonly id: string;
  readonly name: string;
}

export interface Transaction {
  readonly id: string;
  readonly merchantId: string;
  readonly amount: number;
  readonly currency: string;
  readonly capturedAmount: number;
  readonly pendingAmount: number;
  readonly card: { readonly last4: string };
  readonly trail: readonly unknown[];
}

export interface Line {
  readonly id: string;
  readonly merchantId: string;
  readonly transactionId: string;
}
