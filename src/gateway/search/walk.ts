import type { Window } from '../schema/paging.ts';
import type { ListRequest, Pages } from '../upstream/list.ts';
import { badResponse, RestError } from '../upstream/rest-error.ts';
import { Examination, type Examined, type Judged } from './examination.ts';
import type { SearchBudget } from './search-budget.ts';

/** A list that a service can only page, and how its records are judged. */
export type Searched<T> = Pages<T> &
  Judged<T> & {
    /** Whether another page may be read. Default: takes a call from the budget. */
    readonly mayRead?: () => boolean;
  };

/**
 * Examines a list call by call, until the page is full, no further record can match, or the budget
 * is spent. The records of each call are examined to the end, or until the page is full. If a later
 * call fails, the matches so far are returned; the next walk reports the failure.
 */
export async function walk<T extends { readonly id: string }>(
  window: Window,
  list: Searched<T>,
  budget: SearchBudget,
): Promise<Examined<T>> {
  const examination = new Examination(window, list, budget);
  let position = window.start;
  while (!examination.isFull && (list.mayRead ?? budget.take)()) {
    const request = toRequest(list.pageMax, window.backward, position);
    const page = await list.fetch(request).catch((error) => {
      if (position === window.start || !(error instanceof RestError)) throw error;
    });
    if (page === undefined) break;
    const cut = page.records.findIndex(({ id }) => id === window.end);
    const inside = cut === -1 ? page.records : page.records.slice(0, cut);
    const records = examination.withoutSeen(inside);
    const isLast = cut !== -1 || page.isLast;
    if (!(await examination.examine(records, page.invalid))) break;
    if (isLast || examination.isPast(records)) return examination.result(true, isLast);
    const last = records.at(-1)?.id;
    if (last === undefined) {
      // A full page without a new record makes no progress.
      if (position === window.start) throw badResponse(list.service, 'GET');
      break;
    }
    position = last;
  }
  if (examination.failure !== undefined) throw examination.failure;
  return examination.result(false);
}

function toRequest(limit: number, backward: boolean, position: string | undefined): ListRequest {
  if (position === undefined) return { limit };
  return backward ? { limit, after: position } : { limit, before: position };
}
