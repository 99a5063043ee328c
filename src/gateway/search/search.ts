import { toCursor } from '../schema/cursor.ts';
import { type Connection, type SearchProgress, toEdges, type Window } from '../schema/paging.ts';
import type { Verdict } from './condition.ts';
import type { Examined } from './examination.ts';
import type { SearchBudget } from './search-budget.ts';

/** The result of a filter that no record can match. */
export const NOTHING: Examined<never> = {
  ...{ matches: [], first: undefined, last: undefined, examinedTo: undefined },
  ...{ examined: 0, skipped: 0, complete: true, isAtEnd: false },
};

/** The result of a filter that only one record can match, which was read. */
export function justOne<T extends { readonly id: string }>(
  record: T,
  verdict: Verdict,
  window: Window,
): Examined<T> {
  const { id } = record;
  // A client that continues behind a cursor has seen it: it was on the first page.
  const isWanted = verdict === 'YES' && window.start === undefined && window.size > 0;
  const skipped = verdict === 'YES' || verdict === 'NO' ? 0 : 1;
  const matches = isWanted ? [record] : [];
  return { ...NOTHING, matches, skipped, first: id, last: id, examined: 1 };
}

/** All of a list from a place on. */
export function everythingFrom(start: string | undefined): Window {
  return { size: Number.POSITIVE_INFINITY, backward: false, start, end: undefined };
}

/**
 * The page of what was found. Its cursors are the first and the last place examined, also if
 * nothing was found, so that the next page continues there. There is another page unless nothing
 * further can match.
 */
export function toPage<T extends { readonly id: string }>(
  kind: string,
  { backward, start }: Window,
  examined: Examined<T>,
  budget: SearchBudget,
): Connection<T> {
  const { matches, complete } = examined;
  // If nothing was examined, the search continues where it began.
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
  };
}

/** A place in a list, if there is one. */
export function toCursorOrNull(kind: string, id: string | undefined): string | null {
  return id === undefined ? null : toCursor(kind, id);
}

/** What a search shows of how far it has come. */
export function progressOf(
  { examined, skipped, examinedTo, complete }: Examined<unknown>,
  { asOf }: SearchBudget,
): SearchProgress {
  return { examined, skipped, examinedTo: examinedTo ?? null, complete, asOf };
}
