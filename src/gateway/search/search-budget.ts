declare module '../schema/context.ts' {
  interface Context {
    /** The budget that all searches of the request share. */
    readonly search: SearchBudget;
  }
}

/** Characters of the replica's records that all searches of one request may read. */
const MAX_COPIED = 16 * 1_024 ** 2;

/** Limits what all searches of one request may read together. */
export interface SearchBudget {
  /** Every record that a search returns was read at this time or later. */
  readonly asOf: Date;
  /** Takes one call, or several that belong together. False if none is left. */
  take(calls?: number): boolean;
  /** Whether more records of the replica may be read. */
  hasCopiesLeft(): boolean;
  /** Counts records of the replica that were read. */
  countCopied(characters: number): void;
}

/** Creates the budget of one request. */
export function createSearchBudget(maxCalls: number, asOf: Date): SearchBudget {
  let taken = 0;
  let copied = 0;
  return {
    asOf,
    take: (calls = 1) => {
      const isLeft = taken < maxCalls;
      if (isLeft) taken += calls;
      return isLeft;
    },
    hasCopiesLeft: () => copied < MAX_COPIED,
    countCopied: (characters) => {
      copied += characters;
    },
  };
}
