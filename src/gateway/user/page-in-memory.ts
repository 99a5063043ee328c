import { badInput } from '../graphql/node-id.ts';
import type { ListRequest } from '../rest/list.ts';

/**
 * A stretch of a list that is whole in memory, by the rules of a list that is not:
 * `before` goes on down the list, `after` goes back up, nearest first.
 */
export function pageInMemory<T extends { readonly id: string }>(
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

/** Without an order of ids, a record that is gone has no place any more. */
function indexOf(items: readonly { readonly id: string }[], id: string, argument: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return index;
  throw badInput(
    `\`${argument}\` is the cursor of a record that is no longer in the list; start again without it.`,
    argument,
  );
}
