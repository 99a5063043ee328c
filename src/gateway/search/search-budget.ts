declare module '../schema/context.ts' {
  interface Context {
    /** The budget that all searches of the request share. */
    readonly search: SearchBudget;
  }
}

/** Limits the calls that all searches of one request may make. */
export interface SearchBudget {
  /** Every record that a search returns was read at this time or later. */
  readonly asOf: Date;
  /** Takes one call, or several that belong together. False if none is left. */
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
