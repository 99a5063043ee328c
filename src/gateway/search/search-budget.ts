/** What the searches of one request may still read. They share it. */
export interface SearchBudget {
  /** Every record that a search returns is shown as it was then or later. */
  readonly asOf: Date;
  /** Takes a call. False if none is left. */
  take(): boolean;
}

/** Creates the budget of one request. */
export function createSearchBudget(maxCalls: number, asOf: Date): SearchBudget {
  let taken = 0;
  return { asOf, take: () => ++taken <= maxCalls };
}
