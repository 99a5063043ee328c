/** What a contestant without GraphQL is asked for: the same data, named directly. */
export type Ask = MerchantAsk | LinesAsk | CaptureAsk;

/** A merchant with its newest transactions; `depth` times nested. */
export interface MerchantAsk {
  readonly kind: 'merchant';
  readonly id: string;
  readonly first: number;
  readonly depth: number;
}

/** The newest lines of a merchant, each with its transaction and merchant. */
export interface LinesAsk {
  readonly kind: 'lines';
  readonly id: string;
  readonly first: number;
}

/** A capture, applied once for its key. */
export interface CaptureAsk {
  readonly kind: 'capture';
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly key: string;
}
