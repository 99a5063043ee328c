import { fetchList, type ListRequest } from '../rest/page.ts';
import { path } from '../rest/path.ts';
import { openRecord, type RestRecord, readTextOrNull } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

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
export function createAppSource(payments: RestClient, anonymous: RestClient, pageMax: number) {
  return {
    list: async (merchantId: string, request: ListRequest) =>
      fetchList<RestRecord<'name' | 'created'>>(
        payments,
        path`/merchants/${merchantId}/apps`,
        request,
        { name: 'apps', pageMax },
      ),
    create: async (name: string | undefined): Promise<NewApp> => {
      const { body } = await anonymous.send(
        'POST',
        path`/apps`,
        name === undefined ? {} : { name },
      );
      const app = openRecord<RestRecord<'name' | 'created' | 'key'>>(body, 'app');
      const key = app === undefined ? null : readTextOrNull(app, 'key');
      if (app === undefined || key === null) {
        throw new RestError('payments', 'POST', 'bad-response');
      }
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
