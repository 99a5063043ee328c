import { fetchExistingRecord } from '../../upstream/fetch-record.ts';
import { path } from '../../upstream/path.ts';
import type { RestRecord } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly viewer: ViewerSource;
  }
}

/** The calling app as the service sends it. Specification: payments, "Identity". */
type Identity = RestRecord<'name' | 'created'>;

/** The calling app of one request. */
export function createViewerSource(payments: RestClient) {
  let viewer: Promise<Identity> | undefined;

  return {
    /** Calls the service once for each GraphQL request. */
    load: (): Promise<Identity> => {
      viewer ??= fetchExistingRecord<Identity>(payments, path`/me`, 'identity');
      return viewer;
    },
  };
}

/** The calling app of one request. */
export type ViewerSource = ReturnType<typeof createViewerSource>;
