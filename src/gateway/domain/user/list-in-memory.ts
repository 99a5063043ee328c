import { badInput } from '../../schema/bad-input.ts';
import type { ListRequest } from '../../upstream/list.ts';

/**
 * Serves a list request from a complete list in memory, by the rules of a service with
 * pagination: `before` continues down the list, `after` continues up, nearest item first.
 */
export function listInMemory<T extends { readonly id: string }>(
  items: readonly T[],
  { limit, before, after, fromEnd }: ListRequest & { fromEnd?: true },
): readonly T[] {
  if (fromEnd) return items.slice(Math.max(0, items.length - limit)).reverse();
  if (after !== undefined) {
    const index = indexOf(items, after, 'before');
    return items.slice(Math.max(0, index - limit), index).reverse();
  }
  const start = before === undefined ? 0 : indexOf(items, before, 'after') + 1;
  return items.slice(start, start + limit);
}

/** Ids have no order here, so the position of a deleted record is not known. */
function indexOf(items: readonly { readonly id: string }[], id: string, argument: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return index;
  throw badInput(
    `\`${argument}\` is the cursor of a record that is no longer in the list. Start again without it.`,
    argument,
  );
}
