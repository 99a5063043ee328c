import { badInput } from '../schema/bad-input.ts';
import type { Window } from '../schema/paging.ts';
import type { Examined, Judged } from '../search/examination.ts';
import { everythingFrom } from '../search/search.ts';
import type { SearchBudget } from '../search/search-budget.ts';
import { walk } from '../search/walk.ts';
import type { RestRecord } from '../upstream/record.ts';
import { callLimitReached } from '../upstream/rest-error.ts';
import type { CopiedList, Narrowing, RecordOrder } from './copied-list.ts';
import { type Copy, type OpenOptions, type Replica, ReplicaFailedError } from './replica.ts';
import type { CopiedTotal, TotalsQuery } from './store/totals.ts';

/** The fewest records that one statement reads. */
const LEAST_PAGE = 50;

/** What to search a copy for. */
export interface CopySearch<R extends RestRecord> extends OpenOptions {
  readonly merchantIds: readonly string[];
  readonly list: CopiedList<R>;
  readonly narrowing: Narrowing;
  /** Default: that of the service, newest first; only for one merchant. */
  readonly order?: RecordOrder | undefined;
  readonly judged: Judged<R>;
  /** Called with the records that were read. */
  readonly adopt: (records: readonly R[], copy: Copy) => unknown;
}

/**
 * Searches the copy of a list. SQL narrows what the judge of the filter then examines, as it would
 * examine what the service sends. Undefined if there is no copy that can answer.
 */
export async function searchCopy<R extends RestRecord>(
  ...search: Parameters<typeof searchOpen<R>>
): Promise<Examined<R> | undefined> {
  try {
    return await searchOpen(...search);
  } catch (error) {
    const [, { requiredBy }] = search;
    if (error instanceof ReplicaFailedError && requiredBy === undefined) return undefined;
    throw error;
  }
}

/** Lets through only records whose columns cannot be read. */
const UNREADABLE_ONLY: Narrowing = { labels: [[]], texts: [], isExact: false };

/** Counts the records that a filter matches. */
export async function countCopy<R extends RestRecord>(
  replica: Replica,
  search: Omit<CopySearch<R>, 'requiredBy' | 'order'>,
  budget: SearchBudget,
): Promise<number> {
  const { merchantIds, list, narrowing } = search;
  const options = { ...search, requiredBy: 'totalCount' };
  const copy = await replica.open(merchantIds, options);
  const isCounted = copy !== undefined && narrowing.isExact;
  const counted = isCounted ? await budget.inTurn(() => copy.count(list.kind, narrowing)) : 0;
  // These must be read to see whether they match.
  const rest = {
    ...options,
    ...(isCounted && { narrowing: UNREADABLE_ONLY }),
    maxAgeSeconds: undefined,
  };
  const found = await searchCopy(replica, rest, everythingFrom(undefined), budget);
  if (!found?.complete) throw callLimitReached('payments', 'GET');
  return counted + found.matches.length;
}

async function searchOpen<R extends RestRecord>(
  replica: Replica,
  { merchantIds, list: { kind }, narrowing, order, judged, adopt, ...options }: CopySearch<R>,
  window: Window,
  budget: SearchBudget,
): Promise<Examined<R> | undefined> {
  const { start, end, size, backward } = window;
  const copy = await replica.open(merchantIds, options);
  const cursors = [start, end].filter((id) => id !== undefined);
  // The service can have an item that is newer than the copy.
  if (copy === undefined) return undefined;
  if (!(await copy.hasAll(kind, cursors))) {
    if (options.requiredBy === undefined) return undefined;
    throw badInput('A cursor is not of this list. Start again without it.', 'after');
  }
  const pages = copy.pages<R>({ kind, narrowing, order, end }, budget.countCopied);
  const list = {
    ...pages,
    ...judged,
    // SQL leaves out what is beyond it, and another order does not end with it.
    created: {},
    mayRead: budget.hasCopiesLeft,
    // Most of what SQL lets through matches.
    pageMax: Math.min(pages.pageMax, Math.max(LEAST_PAGE, size + 1)),
    fetch: async (request: Parameters<typeof pages.fetch>[0]) => {
      const page = await budget.inTurn(() => pages.fetch(request));
      await adopt(page.records, copy);
      return page;
    },
  };
  const found = await walk({ ...window, end: undefined }, list, budget);
  const result = { ...found, copiedAt: copy.asOf, leftOut: copy.leftOut };
  if (found.complete || found.matches.length < size) return result;
  // The page is full. Whether there is another one costs no call.
  const next = await walk({ size: 1, backward, start: found.last, end: undefined }, list, budget);
  if (!next.complete || next.matches.length > 0) return result;
  return {
    ...result,
    last: next.last ?? found.last,
    examined: found.examined + next.examined,
    skipped: found.skipped + next.skipped,
    examinedTo: next.examinedTo ?? found.examinedTo,
    complete: true,
  };
}

/** The totals of a copy, and the records that match whose columns cannot be read. */
export interface AddedUp<R> {
  readonly totals: readonly CopiedTotal[];
  readonly found: Examined<R>;
}

/**
 * Adds up the records of one merchant that a filter matches. Undefined if there is no copy that can
 * answer, or if only the records themselves can tell what matches.
 *
 * @param start only records behind this one
 */
export async function addUpCopy<R extends RestRecord>(
  replica: Replica,
  search: CopySearch<R>,
  grouping: Pick<TotalsQuery, 'by' | 'isByQuarter' | 'sums'>,
  start: string | undefined,
  budget: SearchBudget,
): Promise<AddedUp<R> | undefined> {
  const { merchantIds, narrowing } = search;
  const { kind } = search.list;
  if (!narrowing.isExact) return undefined;
  try {
    const copy = await replica.open(merchantIds, search);
    const cursors = start === undefined ? [] : [start];
    if (copy === undefined || !(await copy.hasAll(kind, cursors))) return undefined;
    const { totals, last } = await budget.inTurn(() =>
      copy.addUp({ kind, narrowing, ...grouping, start }),
    );
    const rest = { ...search, narrowing: UNREADABLE_ONLY, maxAgeSeconds: undefined };
    const found = await searchOpen(replica, rest, everythingFrom(start), budget);
    if (!found?.complete) return undefined;
    const added = totals.reduce((sum, { count }) => sum + count, 0);
    const end = last === undefined ? {} : { last: last.id, examinedTo: last.created };
    return { totals, found: { ...found, ...end, examined: found.examined + added } };
  } catch (error) {
    if (error instanceof ReplicaFailedError) return undefined;
    throw error;
  }
}
