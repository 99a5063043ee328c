import { createRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListRequest } from '../../upstream/list.ts';
import { path } from '../../upstream/path.ts';
import { type RestRecord, readTextOrNull } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';
import { badResponse, RateLimitedError } from '../../upstream/rest-error.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly apps: AppSource;
  }
}

/** An app as the service sends it. Specification: payments, "App" and "Identity". */
export type App = RestRecord<'name' | 'created'>;

/** Apps to search for one: the service finds no app by id but the calling one. */
const MAX_SEARCHED = 2_000;

/** A new app with its key. The service shows the key only in the response to the creation. */
export interface NewApp {
  readonly app: App;
  readonly key: string;
}

/**
 * The apps of merchants in one request. Lists of the service may contain keys; only
 * `create` returns a key.
 *
 * @param anonymous a client without a credential: the creation of an app needs none
 * @param admit takes a creation from what clients without a key may do. Returns after how long
 *   that is possible, if it is not now
 */
export function createAppSource(
  payments: RestClient,
  anonymous: RestClient,
  admit: () => Promise<{ readonly retryAfterMs: number } | undefined>,
) {
  const list = (merchantId: string, request: ListRequest) =>
    fetchList<App>(payments, path`/merchants/${merchantId}/apps`, request, { name: 'apps' });

  return {
    list,
    /** `null` if the service does not list the app among those of the merchant. */
    find: async (merchantId: string, id: string): Promise<App | null> =>
      (await list(merchantId, { limit: MAX_SEARCHED })).find((app) => app.id === id) ?? null,
    create: async (name: string | undefined): Promise<NewApp> => {
      const late = await admit();
      if (late !== undefined) throw new RateLimitedError(late.retryAfterMs);
      const app = await createRecord<App & RestRecord<'key'>>(anonymous, path`/apps`, {
        name: 'app',
        body: name === undefined ? {} : { name },
      });
      const key = readTextOrNull(app, 'key');
      if (key === null) throw badResponse('payments', 'POST');
      return { app, key };
    },
    add: async (merchantId: string, appId: string): Promise<void> => {
      await payments.send('POST', path`/merchants/${merchantId}/apps`, { appId });
    },
    revoke: async (merchantId: string, appId: string): Promise<void> => {
      await payments.send('DELETE', path`/merchants/${merchantId}/apps/${appId}`);
    },
  };
}

/** The apps of merchants in one request. */
export type AppSource = ReturnType<typeof createAppSource>;
