import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rejections } from '../../src/gateway/channels.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MAX_BODY = 256 * 1024;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.calls.length = 0;
});

/** Sends bytes as they are, and returns everything that comes back. */
async function sendRaw(text: string): Promise<string> {
  const { port, hostname } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(text);
  return readAll(socket);
}

const typename = JSON.stringify({ query: '{ __typename }' });

const MIB = 1_048_576;
const POST_HEAD = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

const tooLarge: [part: string, status: number, head: string][] = [
  ['body', 413, `${POST_HEAD}content-length: ${1_024 * MIB}\r\n\r\n`],
  ['chunked body', 413, `${POST_HEAD}transfer-encoding: chunked\r\n\r\n40000000\r\n`],
  ['header', 431, 'GET / HTTP/1.1\r\nhost: localhost\r\nx: '],
  // A body where there must be none.
  [
    'request for /health',
    400,
    `POST /health HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${MIB * 1_024}\r\n\r\n`,
  ],
  [
    'HEAD',
    400,
    `HEAD /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${MIB * 1_024}\r\n\r\n`,
  ],
  ['Expect', 417, `${POST_HEAD}expect: x\r\ncontent-length: ${MIB * 1_024}\r\n\r\n`],
  ['request without Host', 400, `GET / HTTP/1.1\r\ncontent-length: ${MIB * 1_024}\r\n\r\n`],
];

/** A connection with the response, on which the request is not complete. */
async function exceed(status: number, head: string) {
  const { port, hostname } = new URL(stack.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.write(`${head}${'x'.repeat(MAX_BODY + 1)}`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  return socket;
}

describe.each(tooLarge)('a client whose %s is too large', (_part, status, head) => {
  test('can send more after it has the response', async () => {
    const socket = await exceed(status, head);
    socket.end('x'.repeat(8 * MIB));
    await once(socket, 'close');
  });

  test('is disconnected if it sends too much', async () => {
    const socket = await exceed(status, head);
    const sendMore = () => {
      while (socket.write('x'.repeat(MIB)));
    };
    socket.on('drain', sendMore);
    sendMore();
    await once(socket, 'error');
    expect(socket.bytesWritten).toBeLessThan(64 * MIB);
  });
});

// Together, because each takes two seconds.
test.concurrent.each(tooLarge)(
  'a client whose %s is too large is disconnected if it goes on slowly',
  async (_part, status, head) => {
    const socket = await exceed(status, head);
    const timer = setInterval(() => socket.write('x'), 100);
    await once(socket, 'error');
    clearInterval(timer);
  },
);

test('a connection with a body that is too large is closed as soon as the body has arrived', async () => {
  const { port, hostname } = new URL(stack.url);
  const body = 'x'.repeat(MAX_BODY + 1);
  // If each was closed by a timer, all together would take longer than a test may.
  for (let i = 0; i < 200; i++) {
    const socket = connect(Number(port), hostname);
    socket.write(`${POST_HEAD}content-length: ${body.length}\r\n\r\n${body}`);
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 413 /);
  }
});

test('a client that sends its request too slowly is disconnected', async () => {
  const connections = { ...readGatewaySettings({}).connections, requestMs: 100 };
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const impatient = await startStack({ connections, services: { usersUrl, paymentsUrl, posUrl } });
  const { port, hostname } = new URL(impatient.url);
  for (const sent of [
    'POST /graphql HTTP/1.1\r\nhost: localhost\r\n',
    'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  ]) {
    const socket = connect(Number(port), hostname);
    socket.write(sent);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
  }
  await impatient.close();
});

/**
 * A gateway whose time limit for headers has passed for a connection on which nothing was sent.
 * Clients have such connections if they open them in advance, or abort a request early.
 */
async function startWithUnused(changes: { readonly keepAliveMs?: number } = {}) {
  const connections = { ...readGatewaySettings({}).connections, requestMs: 100, ...changes };
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const impatient = await startStack({ connections, services: { usersUrl, paymentsUrl, posUrl } });
  const { port, hostname } = new URL(impatient.url);
  const unused = connect(Number(port), hostname);
  // The gateway has accepted the connections before this one.
  expect((await impatient.ask('{ __typename }')).status).toBe(200);
  const later = connect(Number(port), hostname);
  later.write('POST');
  for await (const chunk of later) expect(String(chunk)).toMatch(/^HTTP\/1.1 408 /);
  return { unused, impatient };
}

async function readAll(socket: Socket): Promise<string> {
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

test('a connection on which nothing was sent takes a request after the time limit for headers', async () => {
  const { unused, impatient } = await startWithUnused();
  unused.write('GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  expect(await readAll(unused)).toMatch(/^HTTP\/1.1 200 /);
  await impatient.close();
});

test.each([
  ['nothing was sent', ''],
  ['only an empty line was sent', '\r\n'],
])('a connection on which %s is closed without a response', async (_what, sent) => {
  const { unused, impatient } = await startWithUnused({ keepAliveMs: 1_000 });
  unused.write(sent);
  expect(await readAll(unused)).toBe('');
  await impatient.close();
});

/** A response as it was sent, with its body parsed. */
function parseRaw(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(rest.join('')) };
}

test.each([
  ['is not HTTP', 'nonsense\r\n\r\n', 400, 'BAD_REQUEST'],
  ['has no end', `${POST_HEAD}content-length: 99\r\n\r\n{`, 400, 'BAD_REQUEST'],
  [
    'has an invalid body',
    `${POST_HEAD}transfer-encoding: chunked\r\n\r\nz\r\n`,
    400,
    'BAD_REQUEST',
  ],
  ['has no Host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
  [
    'has too large headers',
    `GET / HTTP/1.1\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
  ],
])(
  'a connection with a request that %s is closed with an error, which is counted',
  async (_what, text, status, code) => {
    const counted: unknown[] = [];
    const count = (message: unknown) => counted.push(message);
    subscribe(rejections.name, count);
    const answer = parseRaw(await sendRaw(text));
    unsubscribe(rejections.name, count);
    expect(answer).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } });
    expect(counted).toEqual([{ status, code }]);
  },
);

const VIEWER = JSON.stringify({ query: '{ viewer { name } }' });
const askViewer = `${POST_HEAD}authorization: Bearer KEY\r\ncontent-length: ${VIEWER.length}\r\n\r\n${VIEWER}`;

test('a request after one whose response closes the connection is not executed', async () => {
  const next = askViewer.replace('KEY', stack.sandbox.demoApp.key);
  const noPath = POST_HEAD.replace('/graphql', '/nothing');
  const answer = await sendRaw(`${noPath}content-length: 2\r\n\r\n{}${next.repeat(30)}`);
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  // What was sent before this is executed before it.
  expect((await stack.ask('{ __typename }')).errors).toBeUndefined();
  expect(stack.calls).toEqual([]);
});

test('during the shutdown, each connection gets one more response, and nothing else is executed', async () => {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const patient = await startStack({ services: { usersUrl, paymentsUrl, posUrl } });
  const { port, hostname } = new URL(patient.url);
  const socket = connect(Number(port), hostname);
  const first = `${POST_HEAD}content-length: ${typename.length}\r\n\r\n${typename}`;
  socket.write(first.slice(0, 4));
  // The gateway has read what was sent before this.
  expect((await patient.ask('{ __typename }')).status).toBe(200);
  const closed = patient.close();
  socket.write(`${first.slice(4)}${askViewer.replace('KEY', stack.sandbox.demoApp.key)}`);
  const answer = await readAll(socket);
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  await closed;
  expect(stack.calls).toEqual([]);
});

test('a request that arrives completely after its time limit is not executed', async () => {
  const connections = { ...readGatewaySettings({}).connections, requestMs: 100 };
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const impatient = await startStack({ connections, services: { usersUrl, paymentsUrl, posUrl } });
  const { port, hostname } = new URL(impatient.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const text = askViewer.replace('KEY', stack.sandbox.demoApp.key);
  socket.write(text.slice(0, -1));
  const [answer] = await once(socket, 'data');
  expect(parseRaw(String(answer))).toMatchObject({
    status: 408,
    body: { errors: [{ extensions: { code: 'REQUEST_TIMEOUT' } }] },
  });
  socket.on('error', () => {});
  socket.end(text.slice(-1));
  await once(socket, 'close');
  expect((await impatient.ask('{ __typename }')).errors).toBeUndefined();
  expect(stack.calls).toEqual([]);
  await impatient.close();
});

test('a page is sent completely before bytes that are not HTTP close its connection', async () => {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  // Its pages are not loaded yet.
  const fresh = await startStack({ services: { usersUrl, paymentsUrl, posUrl } });
  const { port, hostname } = new URL(fresh.url);
  const get = 'GET /graphql HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\n\r\n';
  for (let i = 0; i < 5; i++) {
    const gone = connect(Number(port), hostname);
    await new Promise((resolve) => gone.write(get, resolve));
    gone.resetAndDestroy();
  }
  const socket = connect(Number(port), hostname);
  socket.write(`${get}nonsense\r\n\r\n`);
  expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*<\/html>\s*$/);
  expect(fresh.bugs).toEqual([]);
  await fresh.close();
});

test.each([
  ['reads its responses too slowly', { responseMs: 100 }],
  ['leaves too much unread', { maxUnreadBytes: 1_024 }],
])('a client that %s is disconnected', async (_what, changes) => {
  const connections = { ...readGatewaySettings({}).connections, ...changes };
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const other = await startStack({ connections, services: { usersUrl, paymentsUrl, posUrl } });
  const { port, hostname } = new URL(other.url);
  const socket = connect(Number(port), hostname).pause();
  const body =
    '{"query":"{ __schema { types { name description fields { name description } } } }"}';
  const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  // Together more than what the operating system holds for a connection.
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`.repeat(200));
  // A client that does not read notices only when it writes.
  const timer = setInterval(() => socket.write('x'), 100);
  await once(socket, 'error');
  clearInterval(timer);
  expect((await other.ask('{ __typename }')).errors).toBeUndefined();
  await other.close();
});

test('a connection on which nothing was sent does not delay the shutdown', async () => {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const patient = await startStack({
    // Longer than a test may take.
    drain: { delayMs: 0, maxMs: 3_600_000 },
    services: { usersUrl, paymentsUrl, posUrl },
  });
  const { port, hostname } = new URL(patient.url);
  const unused = connect(Number(port), hostname);
  const ended = once(unused, 'close');
  // The gateway has accepted the connections before this one.
  expect((await patient.ask('{ __typename }')).status).toBe(200);
  await patient.close();
  await ended;
});

test.each([
  ['headers', 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-'],
  [
    'body',
    'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  ],
])(
  'a request whose %s never arrives delays the shutdown only for its time limit',
  async (_part, sent) => {
    const connections = { ...readGatewaySettings({}).connections, requestMs: 2_000 };
    const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
    const patient = await startStack({
      connections,
      drain: { delayMs: 0, maxMs: 3_600_000 },
      services: { usersUrl, paymentsUrl, posUrl },
    });
    const { port, hostname } = new URL(patient.url);
    const slow = connect(Number(port), hostname).resume();
    const ended = once(slow, 'close');
    await new Promise((resolve) => slow.write(sent, resolve));
    // The gateway has read what was sent before this.
    expect((await patient.ask('{ __typename }')).status).toBe(200);
    await patient.close();
    await ended;
  },
);

test('clients that disconnect without reading their pages do not keep out others', async () => {
  const { port, hostname } = new URL(stack.url);
  const page = await (
    await fetch(`${stack.url}/graphql`, { headers: { accept: 'text/html' } })
  ).text();
  const [largest = ''] = page.match(/\/graphiql\/[^"]+\.js/g) ?? [];
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const sent = `${get(largest).repeat(4)}${get('/schema').repeat(10)}`;
  for (let i = 0; i < 20; i++) {
    const gone = connect(Number(port), hostname).pause();
    gone.write(sent);
    await once(gone, 'readable');
    gone.resetAndDestroy();
  }
  await expect.poll(async () => (await fetch(`${stack.url}/schema`)).status).toBe(200);
});
