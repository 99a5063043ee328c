import { builder, type GraphObject } from '../schema/builder.ts';
import type { Connection, SearchProgress } from '../schema/paging.ts';

const SearchSourceRef = builder.enumType('SearchSource', {
  description: 'Where the records of a search were read.',
  values: {
    REPLICA: {
      description: "In the replica: the gateway's copy of the merchant's lists.",
    },
    SCAN: {
      description:
        'In the payments service, page by page, because there is no replica, or because it is not up to date.',
    },
  },
});

/** The progress of a search. */
export const SearchProgressRef = builder.objectRef<SearchProgress>('SearchProgress').implement({
  description:
    'How much of a list was examined. The payments service cannot filter its lists. The gateway searches its replica of them; for a merchant without one, it reads them page by page, with a limited number of calls per request. The operator sets the limit with `FILTER_MAX_CALLS`.',
  fields: (t) => ({
    examined: t.exposeInt('examined', {
      description: 'Number of records examined for this page.',
    }),
    skipped: t.exposeInt('skipped', {
      description:
        'Number of records left out of the result because the record, or a field that is needed, could not be read.',
    }),
    examinedTo: t.expose('examinedTo', {
      type: 'DateTime',
      nullable: true,
      description:
        'Creation time of the last record examined. Null if no record was examined, or if the creation time cannot be read.',
    }),
    complete: t.exposeBoolean('complete', {
      description:
        'Whether the search is complete: no further record can match in the paging direction, which is towards older records for `first` and newer records for `last`.',
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description:
        'No record that this request examined was read before this time, if `source` is SCAN. If it is REPLICA: what lines and new transactions showed before this time is in the result. A void or the outcome of a dispute that was not made through this gateway can be missing for longer.',
    }),
    source: t.expose('source', {
      type: SearchSourceRef,
      description: 'Where the records were read.',
    }),
  }),
});

/** Adds `search` to a connection type. */
export function searchField<T>(connection: GraphObject<Connection<T>>): void {
  builder.objectField(connection, 'search', (t) =>
    // Pothos cannot infer the shape of a type parameter.
    t.expose('search' as never, {
      type: SearchProgressRef,
      nullable: true,
      description: 'How much of the list was examined for this page. Null without a filter.',
    }),
  );
}

/** Adds `totalCount` to a connection type whose lists may have a replica. */
export function countField<T>(connection: GraphObject<Connection<T>>, things: string): void {
  builder.objectField(connection, 'totalCount', (t) =>
    t.int({
      nullable: true,
      description: `Number of ${things} on all pages, counted in the replica. Null, with the code \`NO_REPLICA\`, without a replica that is up to date.`,
      resolve: ({ countAll }) => countAll?.() ?? null,
    }),
  );
}
