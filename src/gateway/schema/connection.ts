import type { ArgBuilder } from '@pothos/core';
import { builder, type Graph, type GraphObject } from './builder.ts';
import { type Connection, type PagedList, type PagingArguments, paginate } from './paging.ts';
import { isSelected, type SelectionInfo } from './selection.ts';

const PageInfoRef = builder.objectRef<Connection<unknown>['pageInfo']>('PageInfo').implement({
  description: 'The cursors at both ends of a page, and whether there are more pages.',
  fields: (t) => ({
    startCursor: t.exposeString('startCursor', {
      nullable: true,
      description:
        'Cursor of the first edge. Null if the page is empty. If `search` of the connection is not null, it marks the start of what was examined instead, even on an empty page.',
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description:
        'Cursor of the last edge. Pass it to `after` to get the next page. Null if the page is empty. If `search` of the connection is not null, it marks the end of what was examined instead, even on an empty page.',
    }),
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description:
        'Whether the list has items after this page. If `search` of the connection is not null, whether it may have any.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description:
        'Whether the list has items before this page. If `search` of the connection is not null, whether it may have any.',
    }),
  }),
});

/**
 * Creates the connection and edge types of a node type. Their fields are exposed: a compiled plan
 * reads a property much faster than it calls a resolver.
 */
export function connectionType<T>(name: string, node: GraphObject<T>) {
  const edge = builder.objectRef<{ cursor: string; node: T }>(`${name}Edge`).implement({
    description: `An item of a list of ${name} records.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Opaque. Pass it to `after` or `before`.' }),
      // Pothos cannot infer the shape of a type parameter; the ref has the shape T.
      node: t.expose('node' as never, { type: node, description: `The ${name}.` }),
    }),
  });
  return builder.objectRef<Connection<T>>(`${name}Connection`).implement({
    description: `A page of a list of ${name} records.`,
    fields: (t) => ({
      edges: t.expose('edges', {
        type: [edge],
        description: 'The items of the page, in the order of the list.',
      }),
      pageInfo: t.expose('pageInfo', {
        type: PageInfoRef,
        description: 'The cursors at both ends of the page, and whether there are more pages.',
      }),
    }),
  });
}

/**
 * The arguments of every connection.
 *
 * @param inMemory whether the complete list is in memory, so that `last` works without `before`
 */
export function pagingArgs(
  arg: ArgBuilder<Graph>,
  { inMemory = false }: Pick<PagedList<unknown>, 'inMemory'> = {},
) {
  const last = 'Return at most this many items, 0 to 100: the last ones before the cursor `before`';
  return {
    first: arg.int({
      description:
        'Return at most this many items, 0 to 100: the first ones in the list, or the first ones after the cursor `after`. Without `first` and `last`, a page has up to 20 items. Cannot be combined with `last`.',
    }),
    after: arg.string({ description: 'Return only items after this cursor.' }),
    last: arg.int({
      description: `${last}${inMemory ? ', or in the list' : ', which is required'}.`,
    }),
    before: arg.string({ description: 'Return only items before this cursor.' }),
  };
}

const flags = new Set(['hasNextPage', 'hasPreviousPage']);

/** Resolves a connection. Fetches one extra item only if the query selects a flag that needs it. */
export function resolvePage<T extends { readonly id: string }>(
  args: PagingArguments,
  info: SelectionInfo,
  list: Omit<PagedList<T>, 'wantsFlags'>,
): Promise<Connection<T>> {
  const { inMemory = false } = list;
  // Copying the list would be slow.
  return paginate(args, {
    kind: list.kind,
    fetch: list.fetch,
    ...(list.countAll && { countAll: list.countAll }),
    inMemory,
    wantsFlags: isSelected(info, 'pageInfo', flags),
  });
}
