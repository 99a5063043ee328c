import { builder, type GraphObject } from '../graphql/builder.ts';
import type { Connection, SearchProgress } from '../graphql/paging.ts';

/** How far a search has come. */
export const SearchProgressRef = builder.objectRef<SearchProgress>('SearchProgress').implement({
  description:
    'What a search has examined. The service cannot filter its lists, so the API reads them page by page, up to a number of calls for each request.',
  fields: (t) => ({
    examined: t.exposeInt('examined', {
      description: 'Number of records that were examined for this page.',
    }),
    skipped: t.exposeInt('skipped', {
      description:
        'Number of records that could not be judged, because the service reported a field in a form that cannot be read.',
    }),
    examinedTo: t.expose('examinedTo', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the last record that was examined was created. Null if none was examined, or if its date cannot be read.',
    }),
    complete: t.exposeBoolean('complete', {
      description: 'Whether nothing further can match in this direction.',
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description: 'Every record is shown as it was at this time or later.',
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
      description: 'What was examined to find this page. Null without a filter.',
    }),
  );
}
