import { ShapeError } from '../upstream/rest-error.ts';

/** Reads a value from a record; undefined if its field cannot be read. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

/** One condition of a filter. Throws a `ShapeError` if it cannot read a field. */
export type Condition<T> = (record: T) => boolean;

/** Whether a record matches; INCOMPLETE if only the full record can tell. */
export type Verdict = 'YES' | 'NO' | 'UNREADABLE' | 'INCOMPLETE';

/**
 * Whether a record meets every condition. One that is not met decides, even if another cannot be
 * read, so the order of the conditions does not matter.
 */
export function judge<T>(record: T, conditions: readonly Condition<T>[]): Verdict {
  let verdict: Verdict = 'YES';
  for (const meets of conditions) {
    try {
      if (!meets(record)) return 'NO';
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      if (!error.missing) verdict = 'UNREADABLE';
      else if (verdict === 'YES') verdict = 'INCOMPLETE';
    }
  }
  return verdict;
}
