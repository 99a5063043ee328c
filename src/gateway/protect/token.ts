import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { ID_PATTERN } from '../rest/path.ts';
import type { Grant } from './grant.ts';
import { createIssuerKeys, KeysUnavailableError } from './issuer-keys.ts';

/** How tokens are verified. */
export interface TokenSettings {
  /** Where the public keys of the issuer are. Takes precedence over `secret`. */
  readonly jwksUrl?: string;
  /** The secret that the gateway shares with the issuer. */
  readonly secret?: string;
  readonly issuer: string;
  readonly audience: string;
  /** How much the clocks of the issuer and of the gateway may differ. */
  readonly clockToleranceMs: number;
  /** Name of the claim with the scopes. */
  readonly scopesClaim: string;
  /** Name of the claim with the ids of merchants. */
  readonly merchantsClaim: string;
}

/** A token that was verified. */
export interface Token extends Grant {
  /** The same for all tokens of one subject. */
  readonly subject: string;
  /** When it is no longer accepted, tolerance included, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Why a token is not accepted, as a client may see it. */
export interface RejectedToken {
  readonly code: 'UNAUTHENTICATED' | 'UPSTREAM_UNAVAILABLE';
  readonly message: string;
}

/** An algorithm with a public key must not be used with a secret, nor the reverse. */
const WITH_SECRET = ['HS256', 'HS384', 'HS512'];
const WITH_PUBLIC_KEY = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/**
 * Creates the function that verifies tokens. It never rejects.
 *
 * @param report called when the keys of the issuer cannot be loaded
 */
export function createTokenVerifier(settings: TokenSettings, report: (message: string) => void) {
  const { jwksUrl, secret = '', issuer, audience, clockToleranceMs } = settings;
  const { scopesClaim, merchantsClaim } = settings;
  const algorithms = jwksUrl === undefined ? WITH_SECRET : WITH_PUBLIC_KEY;
  const clockTolerance = clockToleranceMs / 1_000;
  const options = { issuer, audience, algorithms, clockTolerance, requiredClaims: ['exp'] };
  const key: JWTVerifyGetKey | Uint8Array =
    jwksUrl === undefined ? new TextEncoder().encode(secret) : createIssuerKeys(jwksUrl, report);

  return async (token: string): Promise<Token | RejectedToken> => {
    try {
      const { payload } =
        key instanceof Uint8Array
          ? await jwtVerify(token, key, options)
          : await jwtVerify(token, key, options);
      return {
        subject: typeof payload.sub === 'string' && payload.sub !== '' ? payload.sub : token,
        // It is there and a number: that was verified.
        expiresAt: Number(payload.exp) * 1_000 + clockToleranceMs,
        scopesClaim,
        scopes: new Set(readTexts(payload[scopesClaim])),
        merchants: readMerchants(payload, merchantsClaim),
      };
    } catch (error) {
      return toRejection(error);
    }
  };
}

/** Texts in an array, or in one text with spaces between them, as OAuth has its scopes. */
function readTexts(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((text) => text !== '');
  return Array.isArray(claim) ? claim.filter((text) => typeof text === 'string') : [];
}

function readMerchants(payload: JWTPayload, name: string): Grant['merchants'] {
  const claim = payload[name];
  return claim === '*' ? '*' : new Set(readTexts(claim).filter((id) => ID_PATTERN.test(id)));
}

/** Names what is wrong, unless that would help to forge a token. */
function toRejection(error: unknown): RejectedToken {
  const code = 'UNAUTHENTICATED';
  if (error instanceof errors.JWTExpired) {
    return { code, message: 'The token has expired.' };
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isEarly = error.claim === 'nbf' && error.reason === 'check_failed';
    if (isEarly) return { code, message: 'The token is not valid yet: see its claim `nbf`.' };
    return { code, message: `The claim \`${error.claim}\` of the token is missing or not valid.` };
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return {
      code,
      message: 'The token does not say with which of several keys it is signed (`kid`).',
    };
  }
  if (error instanceof KeysUnavailableError) {
    const message = 'The keys that verify tokens cannot be loaded. Try again later.';
    return { code: 'UPSTREAM_UNAVAILABLE', message };
  }
  return { code, message: 'The token is not valid.' };
}
