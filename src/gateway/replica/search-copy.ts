import { badInput } from '../schema/bad-input.ts';
import type { Window } from '../schema/paging.ts';
import type { Examined, Judged } from '../search/examination.ts';
import type { SearchBudget } from '../search/search-budget.ts';
import { walk } from '../search/walk.ts';
import type { RestRecord } from '../upstream/record.ts';
import type { CopiedList, Narrowing } from './copied-list.ts';
import { type Replica, ReplicaFailedError } from './replica.ts';

/** The fewest records that one statement reads. */
const LEAST_PAGE = 50;

/** What to search a copy for. */
export interface CopySearch<R extends RestRecord> {
  readonly merchantId: string;
  readonly list: CopiedList<R>;
  readonly narrowing: Narrowing;
  /** How old the copy may be; any age if it is null or left out. */
  readonly maxAgeSeconds: number | null | undefined;
  readonly judged: Judged<R>;
  /** Called with the records that were read. */
  readonly adopt: (records: readonly R[]) => void;
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
    if (error instanceof ReplicaFailedError) return undefined;
    throw error;
  }
}

async function searchOpen<R extends RestRecord>(
  replica: Replica,
  { merchantId, list: { kind }, narrowing, judged, adopt, maxAgeSeconds }: CopySearch<R>,
  window: Window,
  budget: SearchBudget,
): Promise<Examined<R> | undefined> {
  const { start, end, size, backward } = window;
  if (maxAgeSeconds != null && maxAgeSeconds < 0) {
    throw badInput('`maxAgeSeconds` must be at least 0.', 'maxAgeSeconds');
  }
  const copy = await replica.open(merchantId, maxAgeSeconds ?? undefined);
  const cursors = [start, end].filter((id) => id !== undefined);
  // The service can have an item that is newer than the copy.
  if (copy === undefined || !(await copy.hasAll(kind, cursors))) return undefined;
  const pages = copy.pages<R>(kind, narrowing, end, budget.countCopied);
  const list = {
    ...pages,
    ...judged,
    mayRead: budget.hasCopiesLeft,
    // Most of what SQL lets through matches.
    pageMax: Math.min(pages.pageMax, Math.max(LEAST_PAGE, size + 1)),
    fetch: async (request: Parameters<typeof pages.fetch>[0]) => {
      const page = await pages.fetch(request);
      adopt(page.records);
      return page;
    },
  };
  const found = await walk({ ...window, end: undefined }, list, budget);
  const result = { ...found, copiedAt: copy.asOf };
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
