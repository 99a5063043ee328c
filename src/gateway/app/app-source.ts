import { createRecord } from '../rest/fetch-record.ts';
import { fetchList, type ListRequest } from '../rest/list.ts';
import { path } from '../rest/path.ts';
import { type RestRecord, readTextOrNull } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { badResponse } from '../rest/rest-error.ts';

/** A new app, with the key that is shown this once. */
export interface NewApp {
  readonly app: RestRecord<'name' | 'created'>;
  readonly key: string;
}

/**
 * The apps of merchants in one request. Lists of the service may show keys; nothing
 * here passes one on but the answer to an app's own creation.
 *
 * @param anonymous a client without credential: creating an app needs none
 */
export function createAppSource(payments: RestClient, anonymous: RestClient) {
  return {
    list: async (merchantId: string, request: ListRequest) =>
      fetchList<RestRecord<'name' | 'created'>>(
        payments,
        path`/merchants/${merchantId}/apps`,
        request,
        { name: 'apps' },
      ),
    create: async (name: string | undefined): Promise<NewApp> => {
      const app = await createRecord<RestRecord<'name' | 'created' | 'key'>>(
        anonymous,
        path`/apps`,
        { name: 'app', body: name === undefined ? {} : { name } },
      );
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
