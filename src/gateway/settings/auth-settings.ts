import { z } from 'zod';
import type { Rule } from '../../settings/rule.ts';
import { membersOf, optionalSetting, setting } from '../../settings/setting.ts';
import { appKey, integer, oneOf, text, type ValueType } from '../../settings/value-types.ts';

const MIN_SECRET = 32;
const secret: ValueType<string> = {
  accepts: `text of at least ${MIN_SECRET} characters`,
  schema: z.string().min(MIN_SECRET),
  mayShowValue: false,
};

const jwksUrl: ValueType<string> = {
  accepts: 'an https URL such as https://issuer.example/jwks.json, or an http URL of this machine',
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
      'What clients send in the `Authorization` header: `key` for the key of an app, or `jwt` for a token whose claims name merchants and scopes.',
  }),
  jwksUrl: optionalSetting('JWT_JWKS_URL', jwksUrl, {
    unset: '`JWT_SECRET` is used',
    description: 'URL of the public keys of the issuer of tokens, a JSON Web Key Set.',
  }),
  secret: optionalSetting('JWT_SECRET', secret, {
    secret: true,
    unset: '`JWT_JWKS_URL` is used',
    description:
      'Secret that the gateway shares with the issuer of tokens, for the algorithms `HS256`, `HS384` and `HS512`. Set this or `JWT_JWKS_URL`.',
  }),
  issuer: optionalSetting('JWT_ISSUER', text, {
    unset: withTokens,
    description: 'Value that the claim `iss` of a token must have.',
  }),
  audience: optionalSetting('JWT_AUDIENCE', text, {
    unset: withTokens,
    description: 'Value that the claim `aud` of a token must contain.',
  }),
  clockToleranceMs: setting('JWT_CLOCK_TOLERANCE_MS', integer(0, 300_000), {
    default: 60_000,
    unit: 'milliseconds',
    description:
      'How much the clocks of the issuer and of the gateway may differ. A token is accepted for this time before its claim `nbf` and after its claim `exp`.',
  }),
  scopesClaim: setting('JWT_SCOPES_CLAIM', text, {
    default: 'scope',
    description:
      'Name of the claim with the scopes of a token: text with spaces between the scopes, or an array. Some identity providers use `scp` or `permissions`; a name such as `https://shop.example/scopes` is possible.',
  }),
  merchantsClaim: setting('JWT_MERCHANTS_CLAIM', text, {
    default: 'merchants',
    description:
      "Name of the claim with the merchants that the holder of a token has access to: an array of ids (`id` or `rawId`), a text with spaces between the ids, or `*` for all merchants of the gateway's own app.",
  }),
  paymentsKey: optionalSetting('PAYMENTS_API_KEY', appKey, {
    secret: true,
    unset: 'the demo app of the sandbox; required with given services if `AUTH` is `jwt`',
    description:
      "The gateway's own app key, with which it calls the payments service for every holder of a token. Only with `AUTH=jwt`.",
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
        : `Without AUTH=jwt, the gateway accepts app keys and no tokens: set AUTH, or remove ${names.join(', ')}.`;
    }
    const { jwksUrl, secret, issuer, audience, scopesClaim, merchantsClaim } = values;
    const missing = [
      ...(issuer === undefined ? ['JWT_ISSUER'] : []),
      ...(audience === undefined ? ['JWT_AUDIENCE'] : []),
      ...(jwksUrl === undefined && secret === undefined ? ['JWT_JWKS_URL or JWT_SECRET'] : []),
    ];
    if (missing.length > 0) return `AUTH=jwt also needs ${missing.join(', ')}.`;
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
    if (member.kind !== 'setting') return [];
    const { name, default: usual } = member.declaration;
    return values[member.key] === usual ? [] : [name];
  });
}
