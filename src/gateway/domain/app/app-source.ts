import { createRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListRequest } from '../../upstream/list.ts';
import { path } from '../../upstream/path.ts';
import { type RestRecord, readStringOrNull } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';
import { badResponse, RateLimitedError } from '../../upstream/rest-error.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly apps: AppSource;
  }
}

/** An app as the service sends it. Specification: payments, "App" and "Identity". */
export type App = RestRecord<'name' | 'created'>;

/** How many apps to search: the service can look up only the calling app by id. */
const MAX_SEARCHED = 2_000;

/** A new app with its key. The service shows the key only in the response to the creation. */
export interface NewApp {
  readonly app: App;
  readonly key: string;
}

/**
 * The apps of merchants in one request. The service's lists may contain keys; only `create` returns
 * one.
 *
 * @param anonymous a client without a credential, which creating an app does not need
 * @param admit counts a creation against the limit for clients without a key. Returns how long to
 *   wait if the limit is reached
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
    /** `null` if the service does not list the app for the merchant. */
    find: async (merchantId: string, id: string): Promise<App | null> =>
      (await list(merchantId, { limit: MAX_SEARCHED })).find((app) => app.id === id) ?? null,
    create: async (name: string | undefined): Promise<NewApp> => {
      const late = await admit();
      if (late !== undefined) throw new RateLimitedError(late.retryAfterMs);
      const app = await createRecord<App & RestRecord<'key'>>(anonymous, path`/apps`, {
        name: 'app',
        body: name === undefined ? {} : { name },
      });
      const key = readStringOrNull(app, 'key');
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
