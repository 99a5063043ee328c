/**
 * The context of every resolver, created for each request. Each source adds itself by declaration
 * merging.
 */
export interface Context {
  /** Takes one of the request's calls. False if none is left. */
  takeCall(): boolean;
  /** Notes the code of a typed error that a mutation returns. */
  noteErrorCode(code: string): void;
  /** The same request, without what it has read and without limits. */
  renew(): Context;
  /** Aborted when the client of a subscription leaves. */
  closed?: AbortSignal;
  /**
   * Takes what one event of a subscription costs from what the caller may use in a minute. Resolves
   * with how long to wait if too little is left, in milliseconds; 0 if it was taken.
   */
  takeEvent?: () => Promise<number>;
  /** When the caller's token stops being accepted, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** Identifies the credential of the request in this process; empty without one. */
  readonly owner: string;
  /** When this request stops waiting for a money operation, by the clock of money operations. */
  readonly deadline: number;
  /** Base address of the payment page, for payment links. */
  readonly posUrl: string;
}
