import {
  type Connection,
  type SearchProgress,
  toCursor,
  toEdges,
  type Window,
} from '../schema/paging.ts';
import type { Verdict } from './condition.ts';
import type { Examined } from './examination.ts';
import type { SearchBudget } from './search-budget.ts';

/** The result of a filter that no record can match. */
export const NOTHING: Examined<never> = {
  ...{ matches: [], first: undefined, last: undefined, examinedTo: undefined },
  ...{ examined: 0, skipped: 0, complete: true, isAtEnd: false },
};

/** The result of a filter that only this record can match. */
export function justOne<T extends { readonly id: string }>(
  record: T,
  verdict: Verdict,
  window: Window,
): Examined<T> {
  const { id } = record;
  // A client that continues after a cursor has already seen it on the first page.
  const isWanted = verdict === 'YES' && window.start === undefined && window.size > 0;
  const skipped = verdict === 'YES' || verdict === 'NO' ? 0 : 1;
  const matches = isWanted ? [record] : [];
  return { ...NOTHING, matches, skipped, first: id, last: id, examined: 1 };
}

/** All items of a list after `start`. */
export function everythingFrom(start: string | undefined): Window {
  return { size: Number.POSITIVE_INFINITY, backward: false, start, end: undefined };
}

/**
 * The page of matching records. Its cursors mark the first and last record examined, even if
 * nothing matched, so that the next page continues there. There is another page unless no further
 * record can match.
 */
export function toPage<T extends { readonly id: string }>(
  kind: string,
  { backward, start }: Window,
  examined: Examined<T>,
  budget: SearchBudget,
  countAll?: () => Promise<number>,
): Connection<T> {
  const { matches, complete } = examined;
  // If nothing was examined, the search continues where it started.
  const first = examined.first ?? start;
  const last = examined.last ?? start;
  const [newest, oldest] = backward ? [last, first] : [first, last];
  const hasBefore = start !== undefined;
  return {
    edges: toEdges(kind, backward ? matches.toReversed() : matches),
    pageInfo: {
      startCursor: toCursorOrNull(kind, newest),
      endCursor: toCursorOrNull(kind, oldest),
      hasNextPage: backward ? hasBefore : !complete,
      hasPreviousPage: backward ? !complete : hasBefore,
    },
    search: progressOf(examined, budget),
    ...(countAll && { countAll }),
  };
}

/** The cursor of a record; null without one. */
export function toCursorOrNull(kind: string, id: string | undefined): string | null {
  return id === undefined ? null : toCursor(kind, id);
}

/** The progress of a search, for clients. */
export function progressOf(
  { examined, skipped, examinedTo, complete, copiedAt, leftOut = [] }: Examined<unknown>,
  { asOf }: SearchBudget,
): SearchProgress {
  return {
    ...{ examined, skipped, examinedTo: examinedTo ?? null, complete },
    source: copiedAt === undefined ? 'SCAN' : 'REPLICA',
    asOf: copiedAt ?? asOf,
    leftOut,
  };
}
