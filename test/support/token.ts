import { SignJWT } from 'jose';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'tillgraph';
const SECRET = 'a secret that only tests know, of 32 characters and more';
const SCOPES = 'payments:read payments:write users:read users:write';

/** Settings of a gateway that accepts the tokens of {@link signToken}. */
export function tokenSettings(paymentsKey: string, changes: Record<string, string> = {}) {
  const { auth } = readGatewaySettings({
    AUTH: 'jwt',
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
    ...('JWT_JWKS_URL' in changes ? {} : { JWT_SECRET: SECRET }),
    PAYMENTS_API_KEY: paymentsKey,
    ...changes,
  });
  return { auth };
}

/** How a token is signed. */
export interface Signing {
  readonly alg?: string;
  readonly kid?: string;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

/** A token that is valid for five minutes, unless the claims say otherwise. */
export function signToken(
  claims: Readonly<Record<string, unknown>> = {},
  { alg = 'HS256', kid = '', key = new TextEncoder().encode(SECRET) }: Signing = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: 'a-user', scope: SCOPES, exp: now + 300 };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg, ...(kid === '' ? {} : { kid }) })
    .sign(key);
}
