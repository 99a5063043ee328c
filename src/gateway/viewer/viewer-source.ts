import { fetchExistingRecord } from '../rest/fetch-record.ts';
import { path } from '../rest/path.ts';
import type { RestRecord } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';

/** An app as the service shows it, without its key. Specification: payments, "Identity". */
export type App = RestRecord<'name' | 'created'>;

/** The app behind the request's credential, asked for once a request. */
export function createViewerSource(payments: RestClient) {
  let viewer: Promise<App> | undefined;

  return {
    load: (): Promise<App> => {
      viewer ??= fetchExistingRecord<App>(payments, path`/me`, 'identity');
      return viewer;
    },
  };
}

/** The app behind the request's credential. */
export type ViewerSource = ReturnType<typeof createViewerSource>;
