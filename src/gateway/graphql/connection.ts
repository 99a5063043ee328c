import type { ArgBuilder } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { builder, type Graph, type GraphObject } from './builder.ts';
import { type Connection, type PagedList, type PagingArguments, page } from './paging.ts';
import { isSelected } from './selection.ts';

const PageInfoRef = builder.objectRef<Connection<unknown>['pageInfo']>('PageInfo').implement({
  description: 'Where a page of a list begins and ends, and whether there is more.',
  fields: (t) => ({
    startCursor: t.exposeString('startCursor', {
      nullable: true,
      description: 'Cursor of the first edge; null on an empty page.',
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'Cursor of the last edge; null on an empty page. The next page: `after` it.',
    }),
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description: 'Whether more items follow in the order of the list.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether items come before this page in the order of the list.',
    }),
  }),
});

/** Makes the connection and edge types of a node type. */
export function connectionType<T>(name: string, node: GraphObject<T>) {
  const edge = builder.objectRef<{ cursor: string; node: T }>(`${name}Edge`).implement({
    description: `One ${name} and its place in a list.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Opaque; for `after` and `before`.' }),
      node: t.field({
        type: node,
        description: `The ${name}.`,
        // A type parameter's shape is unknown to the field's type; the ref has checked it.
        resolve: (edge) => edge.node as never,
      }),
    }),
  });
  return builder.objectRef<Connection<T>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The items of this page, in the order of the list.',
        resolve: ({ edges }) => edges,
      }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'Where this page begins and ends.',
        resolve: ({ pageInfo }) => pageInfo,
      }),
    }),
  });
}

/** The arguments of every connection. */
export function pagingArgs(arg: ArgBuilder<Graph>) {
  return {
    first: arg.int({
      description: 'So many from the start of the list, 0 to 100; 20 when nothing is given.',
    }),
    after: arg.string({ description: 'Only what follows this cursor.' }),
    last: arg.int({ description: 'So many from the end, nearest to `before`, 0 to 100.' }),
    before: arg.string({ description: 'Only what comes ahead of this cursor.' }),
  };
}

const flags = new Set(['hasNextPage', 'hasPreviousPage']);

/** Resolves a connection; asks for one item more only when somebody looks at a flag. */
export function resolvePage<T extends { readonly id: string }>(
  args: PagingArguments,
  info: GraphQLResolveInfo,
  list: Omit<PagedList<T>, 'wantsFlags'>,
): Promise<Connection<T>> {
  return page(args, { ...list, wantsFlags: isSelected(info, 'pageInfo', flags) });
}
