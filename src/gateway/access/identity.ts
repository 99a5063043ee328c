import type { IncomingMessage } from 'node:http';
import type { RestClient } from '../upstream/rest-client.ts';
import { type Credential, createCredential, readCredential } from './credential.ts';
import { denyAll, type Grant, restrictUsers } from './grant.ts';
import { restrictPayments } from './restricted-payments.ts';
import { createTokenVerifier, type TokenSettings } from './token.ts';

/** Who sends a request. */
export interface Identity {
  /** What the payments service is called with. */
  readonly credential: Credential | undefined;
  /** A service as the caller may use it. */
  readonly restrict: (service: RestClient) => RestClient;
  /** Whether the claims of a token decide about user records, and not `USERS_ACCESS`. */
  readonly hasClaims: boolean;
  /**
   * When its token is no longer accepted, in milliseconds since 1970: the claim `exp` and the
   * tolerance for clocks. Undefined without a token.
   */
  readonly expiresAt: number | undefined;
}

/** Identifies who sends a request, in this process; empty for callers without a credential. */
export function ownerOf({ credential }: Identity): string {
  return credential?.digest ?? '';
}

/** Finds out who sends a request, from its `Authorization` header. Never rejects. */
export type Identify = (header: string | null | undefined) => Identity | Promise<Identity>;

/** What callers are identified by. Tokens need everything but one of the kinds of keys. */
export interface AuthSettings extends Omit<TokenSettings, 'issuer' | 'audience'> {
  readonly mode: 'key' | 'jwt';
  readonly issuer?: string;
  readonly audience?: string;
  /** The gateway's own app key. */
  readonly paymentsKey?: string;
}

/** The sender of an app key. What they may do, the services decide. */
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
 * @param onRejected called with the reason why a token is not accepted, unless it has expired
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
  'The header `Authorization` has a wrong form. Send `Authorization: Bearer <token>`, with `Bearer` once and without quotation marks.';

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

/** Finds out who sends a request. */
export type IdentifyRequest = (request: IncomingMessage) => Identity | Promise<Identity>;

/** Finds out once for each connection who sends its requests, unless the header changes. */
export function identifyOnConnection(identify: Identify): IdentifyRequest {
  const known = new WeakMap<object, { readonly header: string; readonly identity: Identity }>();
  return ({ headers, socket }) => {
    const header = headers.authorization ?? '';
    const before = known.get(socket);
    if (before?.header === header) return before.identity;
    const identity = identify(header);
    // A token expires.
    if (!(identity instanceof Promise)) known.set(socket, { header, identity });
    return identity;
  };
}
