import type { ListRequest } from '../rest/list.ts';
import { readCursor, toCursor } from './cursor.ts';
import { badInput, type NodeKind } from './node-id.ts';

/** Relay's arguments, as GraphQL hands them over. */
export interface PagingArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** Relay's answer. */
export interface Connection<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
}

/** A list that can be paged. */
export interface PagedList<T> {
  readonly kind: NodeKind;
  /**
   * Fetches a stretch: newest first, or with `after` oldest first. `fromEnd` asks for
   * the oldest items, oldest first; only a list that is whole in memory knows it.
   */
  readonly fetch: (request: ListRequest & { fromEnd?: true }) => Promise<readonly T[]>;
  /** Whether `last` may stand without `before`. */
  readonly wholeInMemory?: boolean;
  /** Whether anybody will look at `hasNextPage` or `hasPreviousPage`. */
  readonly wantsFlags: boolean;
}

const DEFAULT_PAGE_SIZE = 20;

/** The most items one page may have. */
export const MAX_PAGE_SIZE = 100;

/**
 * Answers Relay's arguments from a list that is newest first and speaks `limit`,
 * `before` and `after`. The two speak in opposite directions: Relay's `after` goes on
 * to older items, which is the service's `before`; Relay's `before` goes back to newer
 * ones, which is the service's `after`, whose answer comes oldest first and is turned
 * round here. With both, one is asked for and the answer is cut at the other. One item
 * more than needed tells whether more follows.
 *
 * Specification: payments, "Pagination"; GraphQL Cursor Connections, "Pagination algorithm".
 */
export async function page<T extends { readonly id: string }>(
  args: PagingArguments,
  list: PagedList<T>,
): Promise<Connection<T>> {
  const after = readCursor(list.kind, args.after, 'after');
  const before = readCursor(list.kind, args.before, 'before');
  const { size, backward } = readSize(args, before, list.wholeInMemory ?? false);

  const start = backward ? before : after;
  const end = backward ? after : before;
  const limit = size === 0 || list.wantsFlags ? size + 1 : size;
  const found =
    size === 0 && !list.wantsFlags ? [] : await list.fetch(toRequest(limit, backward, start));
  const cut = end === undefined ? -1 : found.findIndex(({ id }) => id === end);
  const left = cut === -1 ? found : found.slice(0, cut);
  const more = left.length > size;
  const nodes = left.slice(0, size);
  if (backward) nodes.reverse();

  const edges = nodes.map((node) => ({ cursor: toCursor(list.kind, node.id), node }));
  return {
    edges,
    pageInfo: {
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: backward ? before !== undefined : more,
      hasPreviousPage: backward ? more : after !== undefined,
    },
  };
}

function toRequest(limit: number, backward: boolean, start: string | undefined) {
  if (!backward) return start === undefined ? { limit } : { limit, before: start };
  return start === undefined ? { limit, fromEnd: true as const } : { limit, after: start };
}

/** How many items are wanted, and from which end. */
function readSize(
  { first, last }: PagingArguments,
  before: string | undefined,
  wholeInMemory: boolean,
): { size: number; backward: boolean } {
  if (typeof first === 'number' && typeof last === 'number') {
    throw badInput('Give `first` or `last`, not both.', 'last');
  }
  if (typeof first === 'number') return { size: checkSize(first, 'first'), backward: false };
  if (typeof last === 'number') {
    const size = checkSize(last, 'last');
    if (before === undefined && !wholeInMemory) {
      throw badInput(
        '`last` needs `before`: lists are newest first, use `first` for the latest.',
        'last',
      );
    }
    return { size, backward: true };
  }
  return { size: DEFAULT_PAGE_SIZE, backward: before !== undefined };
}

function checkSize(size: number, argument: string): number {
  if (size >= 0 && size <= MAX_PAGE_SIZE) return size;
  throw badInput(`\`${argument}\` takes 0 to ${MAX_PAGE_SIZE}.`, argument);
}
