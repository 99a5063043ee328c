import { type Path, path, routeOf } from '../upstream/path.ts';
import { openRecord } from '../upstream/record.ts';
import type { RestClient, WriteMethod } from '../upstream/rest-client.ts';
import { AccessDeniedError, ownKeyRejected, RestError } from '../upstream/rest-error.ts';
import { type Grant, requireScopes } from './grant.ts';
import { createMerchantRules } from './merchant-rules.ts';

/**
 * Restricts the payments service to what a token allows: merchants that the claims do not contain,
 * and their records, do not exist.
 *
 * @param onRejectedKey called when the service rejects the gateway's own key
 */
export function restrictPayments(
  client: RestClient,
  grant: Grant,
  onRejectedKey: () => void,
): RestClient {
  const service = withOwnKey(client, onRejectedKey);
  const rules = grant.merchants === '*' ? undefined : createMerchantRules(service, grant.merchants);

  const admit: RestClient['admit'] = async (method, to, body) => {
    requireScopes(grant, 'payments', method);
    const route = `${method} ${routeOf(to)}`;
    if (rules !== undefined) {
      const rule = rules.writes.get(route) ?? deny;
      await rule({ path: to, id: idOf(to), body });
    }
    if (route === 'DELETE /merchants/:id/apps/:id') await requireOtherApp(service, to);
  };
  return {
    ...service,
    get: async (to, query) => {
      requireScopes(grant, 'payments', 'GET');
      if (rules === undefined) return service.get(to, query);
      const rule = rules.reads.get(routeOf(to) ?? '') ?? deny;
      return rule({ path: to, id: idOf(to), query });
    },
    send: async (method, to, body, idempotencyKey) => {
      await admit(method, to, body);
      return service.send(method, to, body, idempotencyKey);
    },
    admit,
  };
}

/** Denies calls without a rule. */
async function deny(): Promise<never> {
  throw new AccessDeniedError('FORBIDDEN', 'payments', 'This is not possible with a token.');
}

function idOf(path: Path): string {
  return path.split('/')[2] ?? '';
}

/** If the gateway's own key is rejected, it must not look as if the token were not valid. */
function withOwnKey(client: RestClient, onRejectedKey: () => void): RestClient {
  async function call<T>(made: Promise<T>, method: 'GET' | WriteMethod): Promise<T> {
    try {
      return await made;
    } catch (error) {
      if (!(error instanceof RestError) || error.status !== 401) throw error;
      onRejectedKey();
      throw ownKeyRejected('payments', method);
    }
  }
  return {
    ...client,
    get: (to, query) => call(client.get(to, query), 'GET'),
    send: (method, to, body, key) => call(client.send(method, to, body, key), method),
  };
}

/**
 * Without its own app, the gateway could do nothing for the merchant, not even add the app again.
 */
async function requireOtherApp(service: RestClient, to: Path): Promise<void> {
  const [, , , , appId] = to.split('/');
  const own = openRecord(await service.get(path`/me`), 'identity');
  if (own !== undefined && own.id !== appId) return;
  const message = 'This is the app with which the gateway calls the payments service.';
  throw new AccessDeniedError('FORBIDDEN', 'payments', message);
}
