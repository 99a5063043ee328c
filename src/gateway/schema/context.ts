/**
 * What every resolver gets, created for each request. Each source adds itself where it is
 * defined, by declaration merging.
 */
export interface Context {
  /** Takes a call from what the request may use. False if none is left. */
  takeCall(): boolean;
  /** Notes the code of a typed error that a mutation returns. */
  noteErrorCode(code: string): void;
  /** Identifies the credential of the request in this process; empty without one. */
  readonly owner: string;
  /** When this request stops waiting for an operation, by the clock of money operations. */
  readonly deadline: number;
  /** Base address of the payment page, for payment links. */
  readonly posUrl: string;
}
