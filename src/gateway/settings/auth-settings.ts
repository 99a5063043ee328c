import { z } from 'zod';
import type { Rule } from '../../settings/rule.ts';
import { membersOf, optionalSetting, setting } from '../../settings/setting.ts';
import { appKey, integer, oneOf, text, type ValueType } from '../../settings/value-types.ts';

const MIN_SECRET = 32;
const secret: ValueType<string> = {
  accepts: `a string of at least ${MIN_SECRET} characters`,
  schema: z.string().min(MIN_SECRET),
  mayShowValue: false,
};

const jwksUrl: ValueType<string> = {
  accepts: 'an https URL such as https://issuer.example/jwks.json, or an http URL on localhost',
  schema: z.string().refine(isSafe).meta({ format: 'uri' }),
  mayShowValue: false,
};

/** Over plain HTTP, an attacker could replace the keys, and then sign tokens. */
function isSafe(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
}

const withTokens = 'required if `AUTH` is `jwt`';

const auth = z.object({
  mode: setting('AUTH', oneOf('key', 'jwt'), {
    default: 'key',
    description:
      'What clients send in the `Authorization` header: `key` for an app key, or `jwt` for a token whose claims name merchants and scopes.',
  }),
  jwksUrl: optionalSetting('JWT_JWKS_URL', jwksUrl, {
    unset: '`JWT_SECRET` is used',
    description: "URL of the token issuer's public keys (a JSON Web Key Set).",
  }),
  secret: optionalSetting('JWT_SECRET', secret, {
    secret: true,
    unset: '`JWT_JWKS_URL` is used',
    description:
      'Secret shared with the token issuer, for `HS256`, `HS384` and `HS512`. Set this or `JWT_JWKS_URL`.',
  }),
  issuer: optionalSetting('JWT_ISSUER', text, {
    unset: withTokens,
    description: "Required value of a token's `iss` claim.",
  }),
  audience: optionalSetting('JWT_AUDIENCE', text, {
    unset: withTokens,
    description: "Value that a token's `aud` claim must contain.",
  }),
  clockToleranceMs: setting('JWT_CLOCK_TOLERANCE_MS', integer(0, 300_000), {
    default: 60_000,
    unit: 'milliseconds',
    description:
      'Allowed clock difference between the issuer and the gateway. A token is accepted from this long before its `nbf` until this long after its `exp`.',
  }),
  scopesClaim: setting('JWT_SCOPES_CLAIM', text, {
    default: 'scope',
    description:
      "Name of the claim that contains the token's scopes, as a space-separated string or an array. Some identity providers use `scp` or `permissions`. URLs such as `https://shop.example/scopes` also work.",
  }),
  merchantsClaim: setting('JWT_MERCHANTS_CLAIM', text, {
    default: 'merchants',
    description:
      "Name of the claim that lists the merchants a token gives access to: an array or a space-separated string of ids (`id` or `rawId`), or `*` for all merchants of the gateway's own app.",
  }),
  paymentsKey: optionalSetting('PAYMENTS_API_KEY', appKey, {
    secret: true,
    unset: "the sandbox's demo app; required if `AUTH` is `jwt` and `PAYMENTS_URL` is set",
    description:
      "The gateway's own app key. The gateway keeps a replica of the lists of the merchants that this app has access to (see `SYNC`), and with `AUTH=jwt` calls the payments service with it on behalf of every token.",
  }),
});

/** How the gateway knows who sends a request. */
export const authSettings = { auth };

/** What tokens need is set, and not more than one kind of key. */
export const tokensNeedSettings: Rule<z.ZodObject<typeof authSettings>> = {
  reads: [['auth']],
  check: ({ auth: values }) => {
    if (values.mode === 'key') {
      const names = namesOfGiven(values);
      return names.length === 0
        ? undefined
        : `Without AUTH=jwt, the gateway accepts only app keys. Set AUTH=jwt, or remove ${names.join(', ')}.`;
    }
    const { jwksUrl, secret, issuer, audience, scopesClaim, merchantsClaim } = values;
    const missing = [
      ...(issuer === undefined ? ['JWT_ISSUER'] : []),
      ...(audience === undefined ? ['JWT_AUDIENCE'] : []),
      ...(jwksUrl === undefined && secret === undefined ? ['JWT_JWKS_URL or JWT_SECRET'] : []),
    ];
    if (missing.length > 0) return `AUTH=jwt requires ${missing.join(', ')}.`;
    if (jwksUrl !== undefined && secret !== undefined) {
      return 'Set JWT_JWKS_URL or JWT_SECRET, not both.';
    }
    return scopesClaim === merchantsClaim
      ? `JWT_SCOPES_CLAIM and JWT_MERCHANTS_CLAIM must name different claims; both are ${JSON.stringify(scopesClaim)}.`
      : undefined;
  },
};

/** The settings that have another value than their default. */
function namesOfGiven(values: Readonly<Record<string, unknown>>): string[] {
  return membersOf(auth).flatMap((member) => {
    // The replica needs it, too.
    if (member.kind !== 'setting' || member.key === 'paymentsKey') return [];
    const { name, default: usual } = member.declaration;
    return values[member.key] === usual ? [] : [name];
  });
}
