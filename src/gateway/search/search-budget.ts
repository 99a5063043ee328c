import { callLimitReached } from '../upstream/rest-error.ts';

declare module '../schema/context.ts' {
  interface Context {
    /** The budget that all searches of the request share. */
    readonly search: SearchBudget;
  }
}

/** Characters of the replica's records that all searches of one request may read. */
const MAX_COPIED = 16 * 1_024 ** 2;

/** How long the statements of one request over the replica may take together. */
const MAX_COPY_MS = 10_000;

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
  /**
   * Runs a statement over the replica after those before it: one request gets one connection.
   * Rejects with a `RestError` once they have taken too long together.
   */
  inTurn<T>(statement: () => Promise<T>): Promise<T>;
}

/**
 * Creates the budget of one request.
 *
 * @param now in milliseconds
 */
export function createSearchBudget(
  maxCalls: number,
  asOf: Date,
  now: () => number = () => performance.now(),
): SearchBudget {
  let taken = 0;
  let copied = 0;
  let spentMs = 0;
  let last: Promise<unknown> = Promise.resolve();
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
    inTurn: (statement) => {
      const turn = last.then(async () => {
        if (spentMs > MAX_COPY_MS) throw callLimitReached('payments', 'GET');
        const start = now();
        return statement().finally(() => {
          spentMs += now() - start;
        });
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}
