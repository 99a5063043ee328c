import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { ID_PATTERN } from '../upstream/path.ts';
import type { Grant } from './grant.ts';
import { createIssuerKeys, KeysUnavailableError } from './issuer-keys.ts';

/** How tokens are verified. */
export interface TokenSettings {
  /** URL of the issuer's public keys. Takes precedence over `secret`. */
  readonly jwksUrl?: string;
  /** The secret that the gateway shares with the issuer. */
  readonly secret?: string;
  readonly issuer: string;
  readonly audience: string;
  /** How much the clocks of the issuer and the gateway may differ. */
  readonly clockToleranceMs: number;
  /** Name of the claim with the scopes. */
  readonly scopesClaim: string;
  /** Name of the claim with the ids of merchants. */
  readonly merchantsClaim: string;
}

/** A verified token. */
export interface Token extends Grant {
  /** The same for all tokens of one subject. */
  readonly subject: string;
  /** When it stops being accepted, including the tolerance, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Why a token is rejected, for clients. */
export interface RejectedToken {
  readonly code: 'UNAUTHENTICATED' | 'UPSTREAM_UNAVAILABLE';
  readonly message: string;
}

/** Algorithms for public keys must not be used with a secret, nor the reverse. */
const WITH_SECRET = ['HS256', 'HS384', 'HS512'];
const WITH_PUBLIC_KEY = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/**
 * Creates the function that verifies tokens. It never rejects.
 *
 * @param report called when the issuer's keys cannot be loaded
 * @param onRejected called with the reason why a token is rejected, unless it has expired
 */
export function createTokenVerifier(
  settings: TokenSettings,
  report: (message: string) => void,
  onRejected: (reason: string) => void,
) {
  const { jwksUrl, secret = '', issuer, audience, clockToleranceMs } = settings;
  const { scopesClaim, merchantsClaim } = settings;
  const algorithms = jwksUrl === undefined ? WITH_SECRET : WITH_PUBLIC_KEY;
  const clockTolerance = clockToleranceMs / 1_000;
  const options = { issuer, audience, algorithms, clockTolerance, requiredClaims: ['exp'] };
  const key: JWTVerifyGetKey | Uint8Array =
    jwksUrl === undefined ? new TextEncoder().encode(secret) : createIssuerKeys(jwksUrl, report);

  function reject(message: string): RejectedToken {
    onRejected(message);
    return { code: 'UNAUTHENTICATED', message };
  }

  return async (token: string): Promise<Token | RejectedToken> => {
    try {
      const { payload } =
        key instanceof Uint8Array
          ? await jwtVerify(token, key, options)
          : await jwtVerify(token, key, options);
      const scopes = readScopes(payload[scopesClaim]);
      const merchants = readMerchants(
        payload[merchantsClaim] ?? (isForUsers(scopes) ? [] : undefined),
      );
      if (merchants === undefined) return reject(`${wrongClaim(merchantsClaim)} ${MERCHANTS}`);
      return {
        subject: typeof payload.sub === 'string' && payload.sub !== '' ? payload.sub : token,
        // Verified to be a number.
        expiresAt: Number(payload.exp) * 1_000 + clockToleranceMs,
        scopesClaim,
        scopes,
        merchants,
      };
    } catch (error) {
      // Expiry is normal, and keys that cannot be loaded were reported.
      if (error instanceof errors.JWTExpired) return EXPIRED;
      if (error instanceof KeysUnavailableError) return UNAVAILABLE;
      return reject(messageOf(error));
    }
  };
}

/** An array or, like OAuth scopes, a space-separated string. */
function readList(claim: unknown): unknown[] | undefined {
  if (typeof claim === 'string') return claim.split(' ').filter((text) => text !== '');
  return Array.isArray(claim) ? claim : undefined;
}

function readScopes(claim: unknown): Grant['scopes'] {
  return new Set(readList(claim)?.filter((text) => typeof text === 'string'));
}

/** Whether a token is only for user records, and so need not name merchants. */
function isForUsers(scopes: Grant['scopes']): boolean {
  return scopes.size > 0 && [...scopes].every((scope) => !scope.startsWith('payments:'));
}

/** Undefined if the claim is not valid: no part of it may be silently ignored. */
function readMerchants(claim: unknown): Grant['merchants'] | undefined {
  if (claim === '*') return '*';
  const ids = readList(claim)?.map(toRawId);
  return ids?.every((id) => id !== undefined) ? new Set(ids) : undefined;
}

const HEXADECIMAL = /^[0-9a-f]{24}$/i;

/** The `rawId` of a merchant, from its `id` or `rawId`. */
function toRawId(text: unknown): string | undefined {
  const rawId = typeof text === 'string' ? text.replace(/^mer_/, '') : '';
  if (HEXADECIMAL.test(rawId)) return rawId.toLowerCase();
  return ID_PATTERN.test(rawId) ? rawId : undefined;
}

const EXPIRED: RejectedToken = { code: 'UNAUTHENTICATED', message: 'The token has expired.' };
const UNAVAILABLE: RejectedToken = {
  code: 'UPSTREAM_UNAVAILABLE',
  message: 'The keys that verify tokens cannot be loaded. Try again later.',
};

const MERCHANTS =
  'It must contain merchant ids, as an array or a space-separated string, or the string `*` for all merchants.';
const NO_JWT =
  'This is not a token (JWT). Send a signed token from your identity provider: three parts separated by dots. An app key is not accepted.';

/** Clients and the log see these messages, so they contain nothing of a token. */
const MESSAGES: Readonly<Record<string, string>> = {
  [errors.JWSInvalid.code]: NO_JWT,
  [errors.JWTInvalid.code]: NO_JWT,
  [errors.JOSEAlgNotAllowed.code]: 'The algorithm of the token (`alg`) is not accepted.',
  [errors.JWKSNoMatchingKey.code]:
    'The issuer has no key for the `kid` and the `alg` of the token.',
  [errors.JWKSMultipleMatchingKeys.code]:
    'The token does not name the key that signed it (`kid`), and the issuer has several.',
  [errors.JWSSignatureVerificationFailed.code]: 'The signature of the token is wrong.',
};

function wrongClaim(name: string): string {
  return `The claim \`${name}\` of the token is missing or not valid.`;
}

function messageOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isEarly = error.claim === 'nbf' && error.reason === 'check_failed';
    return isEarly ? 'The token is not valid yet: see its `nbf` claim.' : wrongClaim(error.claim);
  }
  const known = error instanceof errors.JOSEError ? MESSAGES[error.code] : undefined;
  return known ?? 'The token, or the key of the issuer for it, has an unsupported form.';
}
