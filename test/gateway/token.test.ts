import { UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { signToken } from '../support/token.ts';
import {
  BOTH,
  expectAccepted,
  expectRejected,
  gatewayWithTokens,
  MISSING,
  NO_JWT,
  OWN_KEY,
  WRONG_ALGORITHM,
  WRONG_FORM,
  WRONG_SIGNATURE,
} from './support/before-services-with-tokens.ts';

const EARLY = 'The token is not valid yet: see its `nbf` claim.';
const wrong = (claim: string) => `The claim \`${claim}\` of the token is missing or not valid.`;

test('a valid token is accepted, and the services get the key of the gateway instead', async () => {
  const gateway = await gatewayWithTokens();
  const token = await signToken({ merchants: '*' });
  await expectAccepted(gateway, token);
  for (const sub of [undefined, '', 7, { toString: 1 }]) {
    await expectAccepted(gateway, await signToken({ merchants: '*', sub }));
  }
  for (const { authorization } of gateway.users.headers) expect(authorization).toBeUndefined();
  const sent = JSON.stringify([gateway.payments.headers, gateway.users.headers]);
  expect(sent).not.toContain(token);
});

test('without a valid token, every field that needs a service fails, and none is called', async () => {
  const gateway = await gatewayWithTokens();
  const now = Math.floor(Date.now() / 1_000);
  const signed = await signToken();
  const otherKey = new TextEncoder().encode('another secret, which is just as long as it');
  const unsigned = new UnsecuredJWT({}).setIssuer('https://issuer.example').encode();
  await expectRejected(gateway, null, MISSING);
  for (const [token, message] of [
    [await signToken({ exp: now - 60 }), 'The token has expired.'],
    [await signToken({ exp: undefined }), wrong('exp')],
    [await signToken({ nbf: now + 3_600 }), EARLY],
    [await signToken({ nbf: 'soon' }), wrong('nbf')],
    [await signToken({ aud: 'another' }), wrong('aud')],
    [await signToken({ aud: undefined }), wrong('aud')],
    [await signToken({ iss: 'https://another.example' }), wrong('iss')],
    [await signToken({ iss: undefined }), wrong('iss')],
    [await signToken({}, { key: otherKey }), WRONG_SIGNATURE],
    [unsigned, WRONG_ALGORITHM],
    [`${signed.slice(0, -6)}AAAAAA`, WRONG_SIGNATURE],
    [signed.split('.').slice(0, 2).join('.'), NO_JWT],
    ['not-a-token', NO_JWT],
    [OWN_KEY, NO_JWT],
    [`"${signed}"`, WRONG_FORM],
    [`Bearer ${signed}`, WRONG_FORM],
  ] as const) {
    await expectRejected(gateway, token, message);
  }
  const basic = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`:${OWN_KEY}`)}` },
    body: JSON.stringify({ query: '{ viewer { rawId } }' }),
  });
  expect(await basic.json()).toMatchObject({ errors: [{ message: WRONG_FORM }] });
  expect(gateway.reports).toEqual([]);
});

test('the log says why tokens are not accepted, with few lines, and nothing of a token', async () => {
  const { ask, close, lines } = await gatewayWithTokens({ JWT_MERCHANTS_CLAIM: 'shops' });
  const hidden = 'SECRETCANARY';
  const signed = await signToken({ shops: [`${hidden}!`], sub: hidden });
  await ask('{ viewer { rawId } }', null);
  await ask('{ viewer { rawId } }', await signToken({ shops: '*', exp: 1 }));
  for (const token of [signed, signed, signed, hidden, `${signed.slice(0, -6)}AAAAAA`]) {
    await ask(BOTH, token);
  }
  const line = (cause: unknown, count: number) => ({
    level: 'warn',
    time: expect.any(String),
    cause,
    count,
    msg: 'A token was not accepted.',
  });
  const noMerchants = expect.stringContaining('The claim `shops` of the token');
  await close();
  expect(lines.map((text) => JSON.parse(text))).toEqual([
    line(noMerchants, 1),
    line(NO_JWT, 1),
    line(WRONG_SIGNATURE, 1),
    line(noMerchants, 2),
  ]);
  expect(lines.join()).not.toContain(hidden);
  expect(lines.join()).not.toContain(signed.slice(0, 20));
});

test.each([
  ['of a minute', {}, 30],
  ['of another time', { JWT_CLOCK_TOLERANCE_MS: '240000' }, 200],
])('a tolerance %s lets the clock of the issuer differ', async (_name, changes, seconds) => {
  const gateway = await gatewayWithTokens(changes);
  const now = Math.floor(Date.now() / 1_000);
  for (const claims of [{ nbf: now + seconds, iat: now + seconds }, { exp: now - seconds }]) {
    await expectAccepted(gateway, await signToken({ merchants: '*', ...claims }));
  }
});

test('without a tolerance, a token is accepted from `nbf` to `exp` only', async () => {
  const gateway = await gatewayWithTokens({ JWT_CLOCK_TOLERANCE_MS: '0' });
  const now = Math.floor(Date.now() / 1_000);
  await expectRejected(gateway, await signToken({ exp: now }), 'The token has expired.');
  await expectRejected(gateway, await signToken({ nbf: now + 30 }), EARLY);
  await expectAccepted(gateway, await signToken({ merchants: '*', nbf: now }));
});

describe('scopes', () => {
  const SCOPES = 'payments:read users:read';

  test.each([
    ['scp', SCOPES],
    ['scp', SCOPES.split(' ')],
    ['permissions', SCOPES.split(' ')],
    ['https://shop.example/scopes', SCOPES],
    ['shop.example.scopes', [...SCOPES.split(' '), 7]],
  ])('are read from the claim %s: %j', async (claim, value) => {
    const gateway = await gatewayWithTokens({ JWT_SCOPES_CLAIM: claim });
    const claims = { merchants: '*', scope: undefined };
    await expectAccepted(gateway, await signToken({ ...claims, [claim]: value }));
    for (const other of [undefined, 7, { scopes: SCOPES }, [SCOPES]]) {
      const token = await signToken({ merchants: '*', [claim]: other });
      const { errors } = await gateway.ask('{ viewer { rawId } }', token);
      expect(errors?.[0]?.message).toBe(
        `The claim \`${claim}\` of the token does not contain the scope \`payments:read\`.`,
      );
    }
  });
});

describe('a scope', () => {
  const MUTATIONS = {
    users: 'updateUser(input: { userId: "u1", name: "B" })',
    payments: 'createApp(input: {})',
  };

  test.each(['payments', 'users'] as const)('%s:read lets a caller read', async (service) => {
    const { ask } = await gatewayWithTokens();
    const { data, errors } = await ask(
      BOTH,
      await signToken({ scope: `${service}:read`, merchants: '*' }),
    );
    const other = service === 'payments' ? 'users' : 'viewer';
    expect(data[other]).toBeNull();
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({
      message: `The claim \`scope\` of the token does not contain the scope \`${other === 'users' ? 'users' : 'payments'}:read\`.`,
      extensions: { code: 'FORBIDDEN' },
    });
  });

  test('users:read without a claim for merchants lets a caller read user records', async () => {
    const { ask } = await gatewayWithTokens();
    const { data, errors } = await ask(BOTH, await signToken({ scope: 'users:read' }));
    expect(data.users).not.toBeNull();
    expect(errors?.map(({ path }) => path)).toEqual([['viewer']]);
  });

  test.each(['payments', 'users'] as const)('%s:write is needed for writes', async (service) => {
    const { ask, payments, users } = await gatewayWithTokens();
    const write = async (scope: unknown) => {
      const token = await signToken({ scope, merchants: '*' });
      const { data } = await ask(
        `mutation { w: ${MUTATIONS[service]} { __typename ... on MutationError { code message } } }`,
        token,
      );
      return data.w;
    };
    const sent = () =>
      [...payments.requests, ...users.requests].filter((call) => !call.startsWith('GET'));
    const missing = (names: string) => ({
      __typename: 'RequestError',
      code: 'FORBIDDEN',
      message: `The claim \`scope\` of the token does not contain the scope ${names}.`,
    });
    expect(await write(`${service}:read`)).toEqual(missing(`\`${service}:write\``));
    expect(await write(`${service}:write`)).toEqual(missing(`\`${service}:read\``));
    expect(await write(undefined)).toEqual(missing(`\`${service}:read\` and \`${service}:write\``));
    expect(sent()).toEqual([]);
    expect(await write([`${service}:read`, `${service}:write`])).toMatchObject({
      __typename: expect.stringMatching(/Success$/),
    });
    expect(sent()).toHaveLength(1);
  });
});
