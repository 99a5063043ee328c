import type { RestClient, WriteMethod } from '../upstream/rest-client.ts';
import { AccessDeniedError, type ServiceName } from '../upstream/rest-error.ts';

/** What the claims of a valid token allow. */
export interface Grant {
  /** Only `payments:read`, `payments:write`, `users:read` and `users:write` have an effect. */
  readonly scopes: ReadonlySet<string>;
  /** Name of the claim that contains them. */
  readonly scopesClaim: string;
  /** The `rawId`s of merchants, or `*` for all to which the gateway's own app has access. */
  readonly merchants: '*' | ReadonlySet<string>;
}

/** Throws unless the grant has the scopes: a read needs one, and a write needs both. */
export function requireScopes(
  { scopes, scopesClaim }: Grant,
  service: ServiceName,
  method: 'GET' | WriteMethod,
): void {
  const needed = method === 'GET' ? [`${service}:read`] : [`${service}:read`, `${service}:write`];
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const names = missing.map((scope) => `\`${scope}\``).join(' and ');
  const message = `The claim \`${scopesClaim}\` of the token does not contain the scope ${names}.`;
  throw new AccessDeniedError('FORBIDDEN', service, message);
}

/** Restricts the user-records service to what a token allows. The service has no merchants. */
export function restrictUsers(client: RestClient, grant: Grant): RestClient {
  const admit: RestClient['admit'] = async (method) => requireScopes(grant, 'users', method);
  return {
    ...client,
    get: async (path, query) => {
      requireScopes(grant, 'users', 'GET');
      return client.get(path, query);
    },
    send: async (method, path, body, idempotencyKey) => {
      await admit(method, path, body);
      return client.send(method, path, body, idempotencyKey);
    },
    admit,
  };
}

/** A service for a caller without a valid token: every call fails. */
export function denyAll(
  client: RestClient,
  code: AccessDeniedError['code'],
  message: string,
): RestClient {
  const deny = async () => {
    throw new AccessDeniedError(code, client.service, message);
  };
  return { ...client, get: deny, send: deny, admit: deny };
}
