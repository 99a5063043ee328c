declare module '../schema/context.ts' {
  interface Context {
    /** What the searches of the request may still read. */
    readonly search: SearchBudget;
  }
}

/** What the searches of one request may still read. They share it. */
export interface SearchBudget {
  /** Every record that a search returns is shown as it was then or later. */
  readonly asOf: Date;
  /** Takes a call, or some that belong together. False if none is left. */
  take(calls?: number): boolean;
}

/** Creates the budget of one request. */
export function createSearchBudget(maxCalls: number, asOf: Date): SearchBudget {
  let taken = 0;
  return {
    asOf,
    take: (calls = 1) => {
      const isLeft = taken < maxCalls;
      if (isLeft) taken += calls;
      return isLeft;
    },
  };
}
