import type { ListRequest } from '../upstream/list.ts';
import { badInput } from './bad-input.ts';

/** Relay's arguments, as GraphQL passes them to a resolver. */
export interface PagingArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A page of a list, in the form that Relay defines. */
export interface Connection<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  /** Counts the items of the complete list; only for a list that can be counted. */
  readonly countAll?: () => Promise<number>;
  /** How much of the list was searched; only for a page with a filter. */
  readonly search?: SearchProgress;
}

/** What a search examined. */
export interface SearchProgress {
  readonly examined: number;
  readonly skipped: number;
  readonly examinedTo: Date | null;
  readonly complete: boolean;
  readonly source: SearchSource;
  readonly asOf: Date;
  /** Ids of merchants that were left out. */
  readonly leftOut: readonly string[];
}

/** Where the records of a search were read. */
export type SearchSource = 'REPLICA' | 'SCAN';

/** A list that can be paginated. */
export interface PagedList<T> {
  /** The kind of node in the list, such as `txn`; with its order, such as `txn.AMOUNT_ASC`. */
  readonly kind: string;
  /**
   * Fetches part of the list: newest first, or oldest first with `after`. `fromEnd` requests the
   * oldest items, oldest first; only a list in memory supports it.
   */
  readonly fetch: (request: ListRequest & { fromEnd?: true }) => Promise<readonly T[]>;
  /** Whether the complete list is in memory, so that `last` works without `before`. */
  readonly inMemory?: boolean;
  readonly countAll?: Connection<T>['countAll'];
  /** Whether the query selects `hasNextPage` or `hasPreviousPage`. */
  readonly wantsFlags: boolean;
}

/** Page size without `first` and `last`. */
export const DEFAULT_PAGE_SIZE = 20;

/** Upper limit of `first` and `last`. */
export const MAX_PAGE_SIZE = 100;

/**
 * Returns the page of a list that Relay's arguments request. The list is newest first and is
 * fetched with `limit`, `before` and `after`, which have the opposite meaning: Relay's `after`
 * requests older items, which is the service's `before`. Relay's `before` requests newer items,
 * which is the service's `after`; that response is oldest first and is reversed here. If both
 * arguments are given, one is sent and the response is cut at the other. One extra item shows
 * whether there is another page.
 *
 * Specification: payments, "Pagination"; GraphQL Cursor Connections, "Pagination algorithm".
 */
export async function paginate<T extends { readonly id: string }>(
  args: PagingArguments,
  list: PagedList<T>,
): Promise<Connection<T>> {
  const { size, backward, start, end } = readWindow(args, list.kind, list.inMemory);
  const limit = list.wantsFlags ? size + 1 : size;
  const found = limit === 0 ? [] : await list.fetch(toRequest(limit, backward, start));
  const cut = found.findIndex(({ id }) => id === end);
  const left = cut === -1 ? found : found.slice(0, cut);
  const more = left.length > size;
  const nodes = left.slice(0, size);
  if (backward) nodes.reverse();

  const edges = toEdges(list.kind, nodes);
  const hasNextPage = backward ? start !== undefined : more;
  const hasPreviousPage = backward ? more : start !== undefined;
  const pageInfo = new LazyPageInfo(edges, hasNextPage, hasPreviousPage);
  return list.countAll === undefined
    ? { edges, pageInfo }
    : { edges, pageInfo, countAll: list.countAll };
}

/** The part of a list that Relay's arguments request. */
export interface Window {
  readonly size: number;
  /** Whether the list is read from older to newer items. */
  readonly backward: boolean;
  /** The ids after which it starts and before which it ends, in the reading direction. */
  readonly start: string | undefined;
  readonly end: string | undefined;
}

/** Reads and checks Relay's arguments. */
export function readWindow(args: PagingArguments, kind: string, inMemory = false): Window {
  const after = readCursor(kind, args.after, 'after');
  const before = readCursor(kind, args.before, 'before');
  const { size, backward } = readSize(args, before, inMemory);
  return { size, backward, start: backward ? before : after, end: backward ? after : before };
}

/** The edges of nodes, in the same order. */
export function toEdges<T extends { readonly id: string }>(
  kind: string,
  nodes: readonly T[],
): Connection<T>['edges'] {
  return nodes.map((node) => new LazyEdge(kind, node));
}

/**
 * The flags of a page, and its cursors if a query selects them. A class, because each object
 * literal with getters gets a new hidden class, which retains everything that the getters can reach
 * until the next full garbage collection.
 */
export class LazyPageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #edges: Connection<unknown>['edges'];

  constructor(edges: Connection<unknown>['edges'], hasNextPage: boolean, hasPreviousPage: boolean) {
    this.#edges = edges;
    this.hasNextPage = hasNextPage;
    this.hasPreviousPage = hasPreviousPage;
  }

  get startCursor(): string | null {
    return this.#edges.at(0)?.cursor ?? null;
  }

  get endCursor(): string | null {
    return this.#edges.at(-1)?.cursor ?? null;
  }
}

/** An edge that encodes its cursor only if a query selects it. */
class LazyEdge<T extends { readonly id: string }> {
  readonly node: T;
  readonly #kind: string;

  constructor(kind: string, node: T) {
    this.#kind = kind;
    this.node = node;
  }

  get cursor(): string {
    return toCursor(this.#kind, this.node.id);
  }
}

function toRequest(limit: number, backward: boolean, start: string | undefined) {
  if (!backward) return start === undefined ? { limit } : { limit, before: start };
  return start === undefined ? { limit, fromEnd: true as const } : { limit, after: start };
}

/** How many items are requested, and from which end of the list. */
export function readSize(
  { first, last }: PagingArguments,
  before: string | undefined,
  inMemory: boolean,
): { size: number; backward: boolean } {
  if (typeof first === 'number' && typeof last === 'number') {
    throw badInput('Use `first` or `last`, not both.', 'last');
  }
  if (typeof first === 'number') return { size: checkSize(first, 'first'), backward: false };
  if (typeof last === 'number') {
    const size = checkSize(last, 'last');
    if (before === undefined && !inMemory) {
      throw badInput(
        '`last` requires `before`: use `first` for the beginning of the list.',
        'last',
      );
    }
    return { size, backward: true };
  }
  return { size: DEFAULT_PAGE_SIZE, backward: before !== undefined };
}

function checkSize(size: number, argument: string): number {
  if (size >= 0 && size <= MAX_PAGE_SIZE) return size;
  throw badInput(
    `\`${argument}\` must be between 0 and ${MAX_PAGE_SIZE}; it was ${size}.`,
    argument,
  );
}

/** A decoded cursor: version, kind of node, order if it is not that of the service, raw id. */
const DECODED = /^1:([a-z]{3}(?:\.[A-Z_]{1,30})?):([A-Za-z0-9_-]{1,128})$/;

/** The place of a record in a list, opaque to clients. */
export function toCursor(kind: string, rawId: string): string {
  return encode(`1:${kind}:${rawId}`);
}

/** Reads a cursor of a list of this kind. An empty cursor counts as absent. */
export function readCursor(
  kind: string,
  cursor: string | null | undefined,
  argument: string,
): string | undefined {
  if (!cursor) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  // Encode it again, because Buffer ignores characters outside base64url.
  const [, found = '', rawId] = DECODED.exec(text) ?? [];
  if (rawId === undefined || encode(text) !== cursor) {
    throw badInput(
      `\`${argument}\` is not a cursor. Use a cursor from \`pageInfo\` or \`edges\`.`,
      argument,
    );
  }
  if (found !== kind) {
    const isSameList = found.slice(0, 3) === kind.slice(0, 3);
    throw badInput(
      `\`${argument}\` is a cursor of another ${isSameList ? 'list or order' : 'list'}.`,
      argument,
    );
  }
  return rawId;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
