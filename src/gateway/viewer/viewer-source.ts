import { path } from '../rest/path.ts';
import { openRecord, type RestRecord } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

/** An app as the service shows it, without its key. Specification: payments, "Identity". */
export type App = RestRecord<'name' | 'created'>;

/** The app behind the request's credential, asked for once a request. */
export function createViewerSource(payments: RestClient) {
  let viewer: Promise<App> | undefined;

  async function fetch(): Promise<App> {
    const app = openRecord<App>(await payments.get(path`/me`), 'identity');
    if (app === undefined) throw new RestError('payments', 'GET', 'bad-response');
    return app;
  }

  return {
    load: (): Promise<App> => {
      viewer ??= fetch();
      return viewer;
    },
  };
}

/** The app behind the request's credential. */
export type ViewerSource = ReturnType<typeof createViewerSource>;
