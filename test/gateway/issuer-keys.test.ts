import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, exportJWK, exportSPKI, generateKeyPair, jwtVerify } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createIssuerKeys, KeysUnavailableError } from '../../src/gateway/access/issuer-keys.ts';
import { readVersion } from '../../src/package-files.ts';
import { signToken } from '../support/token.ts';
import {
  BOTH,
  expectAccepted,
  expectRejected,
  gatewayWithTokens,
  UNKNOWN_KEY,
  WRONG_ALGORITHM,
} from './support/before-services-with-tokens.ts';
import { neverReading, refusingAddress, unknownName } from './support/dead-addresses.ts';

const NOT_LOADED = 'JWT_JWKS_URL: the keys that verify tokens cannot be loaded';
const LATE = 'no complete response within 2500 ms';

/** Answers every request in the same way. Returns its address. */
async function startAnswering(status: number, text: string, headers: Record<string, string> = {}) {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An issuer that publishes keys. */
async function startIssuer() {
  let published: object[] = [];
  let requests = 0;
  let status = 200;
  const agents: unknown[] = [];
  const server = createServer((request, response) => {
    requests++;
    agents.push(request.headers['user-agent']);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: published }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    requests: () => requests,
    /** The `User-Agent` of each request. */
    agents,
    fail: () => {
      status = 500;
    },
    recover: () => {
      status = 200;
    },
    publish: (...keys: object[]) => {
      published = keys;
    },
  };
}

async function createKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256' };
  return {
    jwk,
    publicKey,
    sign: () => signToken({ merchants: '*' }, { alg: 'ES256', kid, key: privateKey }),
  };
}

describe('with the public keys of an issuer', () => {
  test('its tokens are accepted, and its keys are loaded once', async () => {
    const issuer = await startIssuer();
    const key = await createKey('k1');
    issuer.publish(key.jwk);
    const gateway = await gatewayWithTokens({ JWT_JWKS_URL: issuer.url });
    await Promise.all(
      Array.from({ length: 20 }, async () => expectAccepted(gateway, await key.sign())),
    );
    expect(issuer.requests()).toBe(1);
    expect(issuer.agents).toEqual([`tillgraph/${readVersion()}`]);
  });

  test('a token that was signed with a public key as the secret is not valid', async () => {
    const issuer = await startIssuer();
    const key = await createKey('k1');
    issuer.publish(key.jwk);
    const gateway = await gatewayWithTokens({ JWT_JWKS_URL: issuer.url });
    const secret = new TextEncoder().encode(await exportSPKI(key.publicKey));
    const token = await signToken({}, { alg: 'HS256', kid: 'k1', key: secret });
    await expectRejected(gateway, token, WRONG_ALGORITHM);
    await expectRejected(gateway, await (await createKey('k2')).sign(), UNKNOWN_KEY);
  });

  test('a flood of tokens with unknown keys loads the keys once', async () => {
    const issuer = await startIssuer();
    const key = await createKey('k1');
    issuer.publish(key.jwk);
    const gateway = await gatewayWithTokens({ JWT_JWKS_URL: issuer.url });
    const stranger = await createKey('k2');
    for (let sent = 0; sent < 20; sent++) {
      await expectRejected(gateway, await stranger.sign(), UNKNOWN_KEY);
    }
    expect(gateway.rejections()).toEqual([UNKNOWN_KEY]);
    expect(issuer.requests()).toBe(1);
    await expectAccepted(gateway, await key.sign());
  });

  test('that cannot be loaded, fields fail as unavailable, and few attempts are made', async () => {
    const issuer = await startIssuer();
    issuer.fail();
    const gateway = await gatewayWithTokens({ JWT_JWKS_URL: issuer.url });
    const { sign } = await createKey('k1');
    for (let sent = 0; sent < 20; sent++) {
      const { data, errors } = await gateway.ask(BOTH, await sign());
      expect(data).toEqual({ __typename: 'Query', viewer: null, users: null });
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
        'UPSTREAM_UNAVAILABLE',
        'UPSTREAM_UNAVAILABLE',
      ]);
    }
    expect(issuer.requests()).toBe(1);
    expect(gateway.reports).toEqual([`${NOT_LOADED}: status 500`]);
    expect(gateway.rejections()).toEqual([]);
  });

  test('one of which cannot be used, a token with it is not accepted', async () => {
    const issuer = await startIssuer();
    const { jwk, sign } = await createKey('k1');
    issuer.publish({ ...jwk, x: 'AAAA' });
    const gateway = await gatewayWithTokens({ JWT_JWKS_URL: issuer.url });
    const message = 'The token, or the key of the issuer for it, has an unsupported form.';
    await expectRejected(gateway, await sign(), message);
    expect(gateway.rejections()).toEqual([message]);
  });

  test.each([
    ['refuses connections', refusingAddress, 'the connection was refused (ECONNREFUSED)'],
    [
      'has no address',
      async () => (await unknownName()).replace('http:', 'https:'),
      expect.stringMatching(/: the host name .*\((ENOTFOUND|EAI_AGAIN)\)$/),
    ],
    [
      'does not speak TLS',
      async () => (await startAnswering(200, '')).replace('http:', 'https:'),
      expect.stringMatching(/: the connection failed \([A-Z_]+\)$/),
    ],
    ['does not answer', neverReading, LATE],
    [
      'redirects',
      () => startAnswering(301, '', { location: 'https://id.example:8443/keys?secret=1' }),
      'status 301, redirected to https://id.example:8443',
    ],
    [
      'sends a page',
      () => startAnswering(200, '<html>'),
      'Failed to parse the JSON Web Key Set HTTP response as JSON',
    ],
    ['sends other JSON', () => startAnswering(200, '{}'), 'JSON Web Key Set malformed'],
  ])('from an issuer that %s, the log says so', async (_what, startAddress, cause) => {
    const gateway = await gatewayWithTokens({ JWT_JWKS_URL: await startAddress() });
    await gateway.ask(BOTH, await (await createKey('k1')).sign());
    expect(gateway.reports).toEqual([
      typeof cause === 'string' ? `${NOT_LOADED}: ${cause}` : cause,
    ]);
  });
});

describe('the keys of an issuer', () => {
  const MINUTE = 60_000;

  /** What verifies tokens, and the time it believes to be. */
  async function openKeys() {
    const issuer = await startIssuer();
    const reports: string[] = [];
    const time = { now: 0 };
    const keys = createIssuerKeys(
      issuer.url,
      (message) => reports.push(message),
      () => time.now,
    );
    return { issuer, reports, time, verify: (token: string) => jwtVerify(token, keys) };
  }

  test('are loaded when a token names a new one, but not more often than every five seconds', async () => {
    const { issuer, time, verify } = await openKeys();
    const [first, second] = [await createKey('k1'), await createKey('k2')];
    issuer.publish(first.jwk);
    await verify(await first.sign());
    issuer.publish(first.jwk, second.jwk);
    await expect(verify(await second.sign())).rejects.toThrow(errors.JWKSNoMatchingKey);
    time.now += 5_000;
    await verify(await second.sign());
    expect(issuer.requests()).toBe(2);
  });

  test('that were removed are no longer accepted after ten minutes', async () => {
    const { issuer, time, verify } = await openKeys();
    const key = await createKey('k1');
    issuer.publish(key.jwk);
    await verify(await key.sign());
    issuer.publish();
    time.now += 10 * MINUTE + 1;
    await expect(verify(await key.sign())).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(issuer.requests()).toBe(2);
  });

  test('are used for a day if the issuer cannot be reached, and then loaded again', async () => {
    const { issuer, time, reports, verify } = await openKeys();
    const key = await createKey('k1');
    issuer.publish(key.jwk);
    await verify(await key.sign());
    issuer.fail();
    for (let hour = 1; hour <= 23; hour++) {
      time.now += 60 * MINUTE;
      await verify(await key.sign());
    }
    expect(reports[0]).toContain('JWT_JWKS_URL');
    time.now += 60 * MINUTE + 1;
    await expect(verify(await key.sign())).rejects.toThrow(KeysUnavailableError);
    issuer.recover();
    time.now += 5_000;
    await verify(await key.sign());
  });
});
