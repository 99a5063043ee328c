import type { Path } from '../rest/path.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { AccessDeniedError, RestError } from '../rest/rest-error.ts';
import { type Grant, requireScopes } from './grant.ts';
import { createMerchantRules } from './merchant-rules.ts';

/**
 * The payments service as the holder of a token sees it: merchants that the claims do not
 * contain do not exist, and neither do their records.
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
    if (rules === undefined) return;
    const rule = rules.writes.get(`${method} ${routeOf(to)}`) ?? deny;
    await rule({ path: to, id: idOf(to), body });
  };
  return {
    ...service,
    get: async (to, query) => {
      requireScopes(grant, 'payments', 'GET');
      if (rules === undefined) return service.get(to, query);
      const rule = rules.reads.get(routeOf(to)) ?? deny;
      return rule({ path: to, id: idOf(to), query });
    },
    send: async (method, to, body, idempotencyKey) => {
      await admit(method, to, body);
      return service.send(method, to, body, idempotencyKey);
    },
    admit,
  };
}

/** Calls without a rule. */
async function deny(): Promise<never> {
  throw new AccessDeniedError('FORBIDDEN', 'payments', 'This is not possible with a token.');
}

/** `/merchants/m1/lines` as `/merchants/:id/lines`: every second part of a path is an id. */
function routeOf(path: Path): string {
  const parts = path.slice(1).split('/');
  return `/${parts.map((part, index) => (index % 2 === 0 ? part : ':id')).join('/')}`;
}

function idOf(path: Path): string {
  return path.split('/')[2] ?? '';
}

/** A rejected key is that of the gateway: it must not look as if the token were not valid. */
function withOwnKey(client: RestClient, onRejectedKey: () => void): RestClient {
  return {
    ...client,
    get: async (to, query) => {
      try {
        return await client.get(to, query);
      } catch (error) {
        if (!(error instanceof RestError) || error.status !== 401) throw error;
        onRejectedKey();
        const message = 'The payments service is not available.';
        throw new AccessDeniedError('UPSTREAM_UNAVAILABLE', 'payments', message);
      }
    },
  };
}
