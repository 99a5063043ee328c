import type { IncomingMessage } from 'node:http';
import type { RestClient } from '../upstream/rest-client.ts';
import { type Credential, createCredential, readCredential } from './credential.ts';
import { denyAll, type Grant, restrictUsers } from './grant.ts';
import { restrictPayments } from './restricted-payments.ts';
import { createTokenVerifier, type TokenSettings } from './token.ts';

/** Who sends a request. */
export interface Identity {
  /** The credential for calls to the payments service. */
  readonly credential: Credential | undefined;
  /** Restricts a service to what the caller may do. */
  readonly restrict: (service: RestClient) => RestClient;
  /** Whether the claims of a token, and not `USERS_ACCESS`, decide about user records. */
  readonly hasClaims: boolean;
  /**
   * When the token stops being accepted, in milliseconds since 1970: its `exp` claim plus the clock
   * tolerance. Undefined without a token.
   */
  readonly expiresAt: number | undefined;
}

/** Identifies the caller in this process; empty without a credential. */
export function ownerOf({ credential }: Identity): string {
  return credential?.digest ?? '';
}

/** Identifies the caller from the `Authorization` header of a request. Never rejects. */
export type Identify = (header: string | null | undefined) => Identity | Promise<Identity>;

/** Settings for identifying callers. Tokens need all of them, but only one kind of key. */
export interface AuthSettings extends Omit<TokenSettings, 'issuer' | 'audience'> {
  readonly mode: 'key' | 'jwt';
  readonly issuer?: string;
  readonly audience?: string;
  /** The gateway's own app key. */
  readonly paymentsKey?: string;
}

/** Identifies the sender of an app key. The services decide what it may do. */
export const identifyByKey = (header: string | null | undefined): Identity => ({
  credential: readCredential(header),
  restrict: (service) => service,
  hasClaims: false,
  expiresAt: undefined,
});

/**
 * Creates the function that identifies callers.
 *
 * @param report called with messages for the operator
 * @param onRejected called with the reason why a token is rejected, unless it has expired
 */
export function createIdentify(
  settings: AuthSettings,
  report: (message: string) => void,
  onRejected: (reason: string) => void,
): Identify {
  return settings.mode === 'key'
    ? identifyByKey
    : createIdentifyByToken(settings, report, onRejected);
}

const BEARER = /^bearer +([A-Za-z0-9._~+/=-]+)$/i;
const NO_TOKEN = 'The request has no token. Send the header `Authorization: Bearer <token>`.';
const WRONG_FORM =
  'The header `Authorization` is malformed. Send `Authorization: Bearer <token>`, with `Bearer` once and without quotation marks.';

function createIdentifyByToken(
  { issuer, audience, paymentsKey, ...others }: AuthSettings,
  report: (message: string) => void,
  onRejected: (reason: string) => void,
): Identify {
  if (!issuer || !audience || !paymentsKey || !(others.jwksUrl || others.secret)) {
    throw new TypeError('Tokens need an issuer, an audience, keys, and the key of an app.');
  }
  const verify = createTokenVerifier({ ...others, issuer, audience }, report, onRejected);
  let isReported = false;
  const reportRejectedKey = () => {
    if (isReported) return;
    isReported = true;
    report('PAYMENTS_API_KEY: the payments service does not accept this key');
  };
  const restrictTo = (grant: Grant) => (service: RestClient) =>
    service.service === 'users'
      ? restrictUsers(service, grant)
      : restrictPayments(service, grant, reportRejectedKey);

  return async (header) => {
    if (!header) return denied('UNAUTHENTICATED', NO_TOKEN);
    const token = header.match(BEARER)?.[1];
    if (token === undefined) {
      onRejected(WRONG_FORM);
      return denied('UNAUTHENTICATED', WRONG_FORM);
    }
    const verified = await verify(token);
    if ('code' in verified) return denied(verified.code, verified.message);
    return {
      credential: createCredential(paymentsKey, `token of ${verified.subject}`),
      restrict: restrictTo(verified),
      hasClaims: true,
      expiresAt: verified.expiresAt,
    };
  };
}

function denied(...[code, message]: DenyArguments): Identity {
  return {
    credential: undefined,
    restrict: (service) => denyAll(service, code, message),
    hasClaims: true,
    expiresAt: undefined,
  };
}

type DenyArguments = [code: Parameters<typeof denyAll>[1], message: string];

/** Identifies the caller of a request. */
export type IdentifyRequest = (request: IncomingMessage) => Identity | Promise<Identity>;

/** Identifies the caller once per connection, unless the header changes. */
export function identifyOnConnection(identify: Identify): IdentifyRequest {
  const known = new WeakMap<object, { readonly header: string; readonly identity: Identity }>();
  return ({ headers, socket }) => {
    const header = headers.authorization ?? '';
    const before = known.get(socket);
    if (before?.header === header) return before.identity;
    const identity = identify(header);
    // Tokens expire, so they are not remembered.
    if (!(identity instanceof Promise)) known.set(socket, { header, identity });
    return identity;
  };
}
