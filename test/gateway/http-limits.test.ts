import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const ORIGIN = 'https://shop.example';
const MAX_BODY = 256 * 1024;

let stack: Stack;
beforeAll(async () => {
  const { http } = readGatewaySettings({ CORS_ORIGINS: ORIGIN });
  stack = await startStack({ http });
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.calls.length = 0;
  stack.bugs.length = 0;
});

function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${stack.sandbox.demoApp.key}`,
      ...headers,
    },
    body,
  });
}

/** Sends bytes as they are, and returns everything that comes back. */
async function sendRaw(text: string): Promise<string> {
  const { port, hostname } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const typename = JSON.stringify({ query: '{ __typename }' });
const withVariables = (variables: string) =>
  `{"query":"query ($v: JSON) { __typename }","variables":${variables}}`;

describe('a body', () => {
  test.each([
    ['that is too large', `{"query":"${'x'.repeat(MAX_BODY)}"}`, 413, 'BODY_TOO_LARGE'],
    ['that is no JSON', '{"query":"{ __typename }"', 400, 'BAD_REQUEST'],
    ['with an empty list of operations', '[]', 400, 'BAD_REQUEST'],
    ['that is a text', '"{ __typename }"', 400, 'BAD_REQUEST'],
    ['without a query', '{"variables":{}}', 400, 'BAD_REQUEST'],
    ['whose query is a number', '{"query":1}', 400, 'BAD_REQUEST'],
    ['whose variables are a list', '{"query":"{ __typename }","variables":[]}', 400, 'BAD_REQUEST'],
    ['with another member', '{"query":"{ __typename }","secret":1}', 400, 'BAD_REQUEST'],
    ['with 100,000 open brackets', withVariables('['.repeat(100_000)), 400, 'BAD_REQUEST'],
    ['that is not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'BAD_REQUEST'],
    [
      'with an integer that is too large',
      withVariables('{"v":{"custom":[1,{"n":9007199254740993}]}}'),
      400,
      'BAD_USER_INPUT',
    ],
    ['with a number that becomes infinite', withVariables('{"v":1e400}'), 400, 'BAD_USER_INPUT'],
    ['with U+0000', withVariables('{"v":"a\\u0000b"}'), 400, 'BAD_USER_INPUT'],
  ])('%s is rejected and not repeated', async (_what, body, status, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    const { errors, data } = await response.json();
    expect(data).toBeUndefined();
    expect(errors).toEqual([{ message: expect.any(String), extensions: { code } }]);
    expect(errors[0].message.length).toBeLessThan(200);
    expect(errors[0].message).not.toContain('secret');
    expect(stack.calls).toEqual([]);
    expect(stack.bugs).toEqual([]);
  });

  test('with an inexact number is rejected with the path of the number', async () => {
    const response = await post(withVariables('{"v":{"custom":[1,{"n":9007199254740993}]}}'));
    const { errors } = await response.json();
    expect(errors[0].message).toContain('9007199254740993 in `variables.v.custom[1].n`');
  });

  test('that is too large is not read to its end', async () => {
    const head = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
    const announced = await sendRaw(`${head}content-length: 999999999\r\n\r\n{`);
    expect(announced).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nconnection: close\r\n/i);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const chunked = await sendRaw(`${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(5)}`);
    expect(chunked).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nconnection: close\r\n/i);
  });

  test('with keys such as __proto__ is executed, and changes nothing else', async () => {
    const body = `{"query":"query ($v: JSON) { __proto__: __typename }","variables":{"__proto__":{"x":1},"constructor":1}}`;
    const response = await post(body.replace('($v: JSON) ', ''));
    expect(await response.text()).toContain('"__proto__":"Query"');
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

describe('a request', () => {
  test.each([
    ['GET', '/graphql?query={__typename}', 405],
    ['GET', '/graphql?query=mutation{__typename}', 405],
    ['PUT', '/graphql', 405],
    ['DELETE', '/graphql', 405],
    ['HEAD', '/graphql', 405],
    ['POST', '/', 404],
    ['GET', '/graphql/x', 404],
  ])('%s %s has the status %i', async (method, path, status) => {
    const response = await fetch(`${stack.url}${path}`, {
      method,
      headers: { 'content-type': 'message/rfc822' },
    });
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')).toBe('POST');
    // For HEAD, fetch itself asks for a connection that is closed.
    if (method !== 'HEAD') expect(response.headers.get('connection')).toBe('keep-alive');
    expect(stack.calls).toEqual([]);
  });

  test.each([
    ['evil.example', 421],
    ['localhost.evil.example', 421],
    ['a b/%', 400],
    ['', 400],
    ['localhost:99999999', 400],
    ['LOCALHOST.:4000', 200],
    ['[::1]:4000', 200],
  ])('with the Host %j has the status %i', async (host, status) => {
    const answer = await sendRaw(
      `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${typename.length}\r\n\r\n${typename}`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain('evil');
    expect(answer).not.toMatch(/\.(?:js|ts):\d/);
    expect(stack.bugs).toEqual([]);
  });

  test('for its health has any Host: load balancers call it by an address', async () => {
    for (const path of ['/health', '/ready']) {
      const answer = await sendRaw(
        `GET ${path} HTTP/1.1\r\nhost: 10.0.0.7:4000\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
    }
  });

  test('that is compressed is not accepted', async () => {
    const response = await post(typename, { 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
  });

  test.each([
    { 'content-encoding': 'Identity' },
    { 'content-type': 'Application/JSON ; charset="UTF-8"' },
    { 'content-type': 'application/json;profile="a;charset=latin1"' },
  ])('with %j is accepted', async (headers) => {
    expect((await post(typename, headers)).status).toBe(200);
  });
});

describe('a protocol that the gateway does not have', () => {
  test('gets as many errors as a list has operations, up to 100', async () => {
    const send = async (count: number) => {
      const response = await post(`[${Array(count).fill(typename).join(',')}]`);
      expect(response.status).toBe(400);
      expect(stack.calls).toEqual([]);
      return response.json();
    };
    const error = {
      errors: [{ message: expect.any(String), extensions: { code: 'BAD_REQUEST' } }],
    };
    expect(await send(2)).toEqual([error, error]);
    expect(await send(100)).toHaveLength(100);
    expect(await send(101)).toEqual(error);
    expect(await send(0)).toEqual(error);
  });

  test.each([
    ['a hash', {}, 400],
    ['a hash and null as text', { query: null }, 400],
    // The text is what the client wants to be executed.
    ['a hash and a text', { query: '{ __typename }' }, 200],
  ])('executes only texts: %s', async (_what, body, status) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    const response = await post(JSON.stringify({ ...body, extensions }), {
      accept: 'application/graphql-response+json',
    });
    expect([response.status, await response.json()]).toEqual([
      status,
      status === 200
        ? { data: { __typename: 'Query' } }
        : {
            errors: [
              {
                message: 'PersistedQueryNotSupported',
                extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
              },
            ],
          },
    ]);
  });

  test.each([
    ['variables', { query: 'query ($id: ID!) { merchant(id: $id) { name } }', variables: {} }],
    ['a subscription', { query: 'subscription { nothing }' }],
  ])('has the status 400 if nothing was executed because of %s', async (_what, body) => {
    const statusOf = async (accept: string) =>
      (await post(JSON.stringify(body), { accept })).status;
    expect(await statusOf('application/graphql-response+json')).toBe(400);
    expect(await statusOf('application/json')).toBe(200);
  });

  test.each([
    [
      'a WebSocket',
      'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n',
    ],
    ['events', 'accept: text/event-stream\r\n'],
  ])('answers a client that opens %s', async (_what, headers) => {
    const { host } = new URL(stack.url);
    const answer = await sendRaw(`GET /graphql HTTP/1.1\r\nhost: ${host}\r\n${headers}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).toContain('WebSocket is not supported');
  });
});

describe('a web page of another origin', () => {
  const preflight = (origin: string) =>
    fetch(`${stack.url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  test('may send requests if its origin is allowed, without stored credentials', async () => {
    const { status, headers } = await preflight(ORIGIN);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-allow-headers')).toContain('authorization');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    const response = await post(typename, { origin: ORIGIN });
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(response.headers.get('vary')).toContain('origin');
  });

  test.each(['https://evil.example', `${ORIGIN}.evil.example`, 'null'])(
    'may not if its origin is %s',
    async (origin) => {
      for (const { status, headers } of [
        await preflight(origin),
        await post(typename, { origin }),
      ]) {
        expect(status).toBeLessThan(300);
        expect(headers.has('access-control-allow-origin')).toBe(false);
      }
    },
  );
});

const VIEWER = JSON.stringify({ query: '{ viewer { name } }' });

test.each(['image/png', 'text/html', 'application/json;charset=latin1'])(
  'a request that accepts only %s is not executed',
  async (accept) => {
    const response = await post(VIEWER, { accept });
    expect(response.status).toBe(406);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }],
    });
    expect(stack.calls).toEqual([]);
  },
);

test.each([
  'application/*;q=0.8',
  'Application/JSON',
  'text/html, */*;q=0.1',
  'application/json; charset=UTF-8',
])('a request that accepts %s is executed', async (accept) => {
  const response = await post(VIEWER, { accept });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ data: { viewer: { name: 'Demo' } } });
});

test('a response that would be too large is an error', async () => {
  const { http } = readGatewaySettings({ MAX_RESPONSE_BYTES: '1024' });
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const small = await startStack({ http, services: { usersUrl, paymentsUrl, posUrl } });
  const { errors } = await small.ask('{ __schema { types { name } } }');
  expect(errors).toMatchObject([{ extensions: { code: 'RESPONSE_TOO_LARGE' } }]);
  await small.close();
});
