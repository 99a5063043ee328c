import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { startStack } from '../support/start-stack.ts';

// What happens is sent to endpoints, signed, and repeated until they accept it.

let stack: Awaited<ReturnType<typeof startStack>>;
let control: ReturnType<typeof createControl>;
let merchant: string;
const closing: (() => void)[] = [];

beforeAll(async () => {
  stack = await startStack({ isCopied: true, controlPort: 0 });
  control = createControl(stack.sandbox.controlUrl ?? '');
  merchant = (await control.makeScene()).merchant.id.replace(/^mer_/, '');
  await stack.ask('{ transactions(first: 1) { totalCount } }');
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(async () => {
  expect(stack?.bugs).toEqual([]);
  await stack?.close();
});

interface Received {
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** A receiver that responds as it is told to. */
async function receive(respond: (response: ServerResponse, count: number) => void) {
  const received: Received[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    received.push({ headers: request.headers as Record<string, string>, text });
    respond(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const next = (count: number) =>
    expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  return { url: `http://127.0.0.1:${port}/hook?x=1`, received, next };
}

const accept = (response: ServerResponse) => response.writeHead(204).end();

async function mutate(field: string, input: object, selection: string, key?: string) {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const { data, errors } = await stack.ask(
    `mutation ($input: ${type}Input!) { result: ${field}(input: $input) {
      __typename ... on MutationError { code message path } ... on ${type}Success { ${selection} } } }`,
    { input },
    ...(key === undefined ? [] : [key]),
  );
  expect(errors).toBeUndefined();
  return data.result;
}

const create = (url: string, more: object = {}) =>
  mutate('createWebhookEndpoint', { merchantId: merchant, url, ...more }, 'endpoint { id } secret');

const remove = (id: string) => mutate('deleteWebhookEndpoint', { id }, 'deletedEndpointId');

const pay = () => control.pay({ merchantId: merchant, amount: 1_000, card: '4100000000000000' });

async function endpoint(id: string) {
  const { data } = await stack.ask(
    `query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint {
      url kinds state disabledReason failingSince
      deliveries(first: 5) { edges { node { id state nextAttemptAt event { id kind }
        attempts { status error } } } pageInfo { hasNextPage } } } } }`,
    { id },
  );
  return data.node;
}

const verify = (secret: string, { headers, text }: Received) =>
  new Webhook(secret).verify(text, headers) as { type: string; data: Record<string, unknown> };

test('an event is sent once, signed, and shown as delivered', async () => {
  const receiver = await receive(accept);
  const { endpoint: made, secret } = await create(receiver.url);
  const { transactionId } = await pay();
  await receiver.next(1);
  const [first] = receiver.received as [Received];
  expect(verify(secret, first)).toMatchObject({
    type: 'transaction.created',
    data: {
      kind: 'TRANSACTION_CREATED',
      merchantId: `mer_${merchant}`,
      transactionId: `txn_${transactionId}`,
      amount: { minorUnits: 1_000, currency: 'EUR' },
    },
  });
  expect(() => verify('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', first)).toThrow();
  expect(first.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': JSON.parse(first.text).data.eventId,
  });
  await expect
    .poll(async () => (await endpoint(made.id)).deliveries.edges[0]?.node, { timeout: 30_000 })
    .toMatchObject({
      state: 'SUCCEEDED',
      nextAttemptAt: null,
      event: { id: first.headers['webhook-id'], kind: 'TRANSACTION_CREATED' },
      attempts: [{ status: 204, error: null }],
    });
  await remove(made.id);
  expect(receiver.received).toHaveLength(1);
});

test('what fails is attempted again with the same id, and a client can send it again', async () => {
  const receiver = await receive((response, count) =>
    count === 1 ? response.writeHead(500).end() : accept(response),
  );
  const { endpoint: made, secret } = await create(receiver.url);
  await pay();
  await receiver.next(2);
  const [first, second] = receiver.received as [Received, Received];
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.text).toBe(first.text);
  verify(secret, second);
  await expect
    .poll(async () => (await endpoint(made.id)).failingSince, { timeout: 30_000 })
    .toBeNull();
  const [{ node }] = (await endpoint(made.id)).deliveries.edges;
  expect(node.attempts).toMatchObject([
    { status: 500, error: 'The status was 500.' },
    { status: 204, error: null },
  ]);
  const again = await mutate('resendWebhookDelivery', { id: node.id }, 'delivery { state }');
  expect(again.delivery.state).toBe('PENDING');
  await receiver.next(3);
  expect(receiver.received[2]?.headers['webhook-id']).toBe(first.headers['webhook-id']);
  await remove(made.id);
});

test('a test message is sent, and only the kinds that an endpoint wants', async () => {
  const receiver = await receive(accept);
  const { endpoint: made, secret } = await create(receiver.url, { kinds: ['TRANSACTION_VOIDED'] });
  await pay();
  await mutate('sendTestWebhook', { id: made.id }, 'delivery { id }');
  await receiver.next(1);
  expect(verify(secret, receiver.received[0] as Received).type).toBe('test');
  const live = await endpoint(made.id);
  expect(live.deliveries.edges.map(({ node }: { node: { event: null } }) => node.event)).toEqual([
    null,
  ]);
  await remove(made.id);
});

test('after a rotation, both secrets verify; later only the new one', async () => {
  const receiver = await receive(accept);
  // Nothing but tests is sent to it.
  const { endpoint: made, secret } = await create(receiver.url, { kinds: ['DISPUTE_WON'] });
  const rotated = await mutate('rotateWebhookSecret', { id: made.id }, 'secret');
  await mutate('sendTestWebhook', { id: made.id }, 'delivery { id }');
  await receiver.next(1);
  const [both] = receiver.received as [Received];
  verify(secret, both);
  verify(rotated.secret, both);
  const last = await mutate(
    'rotateWebhookSecret',
    { id: made.id, keepOldSeconds: 0 },
    'secret endpoint { id }',
  );
  await mutate('sendTestWebhook', { id: made.id }, 'delivery { id }');
  await receiver.next(2);
  const [, only] = receiver.received as [Received, Received];
  verify(last.secret, only);
  expect(() => verify(rotated.secret, only)).toThrow();
  expect(() => verify(secret, only)).toThrow();
  await remove(made.id);
});

test('a receiver that is gone is disabled, and can be enabled again', async () => {
  let isGone = true;
  const receiver = await receive((response) =>
    isGone ? response.writeHead(410).end() : accept(response),
  );
  const { endpoint: made } = await create(receiver.url);
  await pay();
  await expect
    .poll(() => endpoint(made.id), { timeout: 30_000 })
    .toMatchObject({
      state: 'DISABLED',
      disabledReason: 'The receiver responded with 410 (Gone).',
    });
  isGone = false;
  await pay();
  const enabled = await mutate(
    'updateWebhookEndpoint',
    { id: made.id, enabled: true },
    'endpoint { state }',
  );
  expect(enabled.endpoint.state).toBe('ENABLED');
  const { transactionId } = await pay();
  await expect
    .poll(() => receiver.received.map(({ text }) => JSON.parse(text).data.transactionId), {
      timeout: 60_000,
    })
    .toContain(`txn_${transactionId}`);
  await remove(made.id);
});

test('a receiver that hangs or redirects holds up nobody else, and nothing follows a redirect', async () => {
  const hanging = await receive(() => {});
  const other = await receive(accept);
  const redirecting = await receive((response) =>
    response.writeHead(302, { location: other.url }).end(),
  );
  const made = [await create(hanging.url), await create(redirecting.url), await create(other.url)];
  for (let count = 0; count < 6; count++) await pay();
  await other.next(6);
  expect(new Set(other.received.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
  expect(other.received).toHaveLength(6);
  expect(hanging.received.length).toBeLessThanOrEqual(4);
  await expect
    .poll(async () => (await endpoint(made[1].endpoint.id)).deliveries.edges[0].node.attempts[0], {
      timeout: 30_000,
    })
    .toMatchObject({ status: 302, error: 'The status was 302.' });
  for (const { endpoint: one } of made) await remove(one.id);
});

test('many receivers that hang hold up nobody else', async () => {
  const proven = await receive(accept);
  const made = [await create(proven.url)];
  await pay();
  await proven.next(1);
  const hanging = await receive(() => {});
  for (const currency of ['USD', 'GBP', 'SEK']) {
    const scene = await control.makeScene({ currency, payments: [] });
    const input = `merchantId: "${scene.merchant.id}", url: "${hanging.url}"`;
    const fields = Array.from(
      { length: 20 },
      (_, index) => `e${index}: createWebhookEndpoint(
      input: { ${input} }) { ... on CreateWebhookEndpointSuccess { endpoint { id } } }`,
    );
    const { data } = await stack.ask(`mutation { ${fields.join(' ')} }`);
    made.push(...(Object.values(data) as typeof made));
  }
  const ids = made.slice(1).map((one) => one.endpoint.id);
  for (let first = 0; first < 240; first += 20) {
    const some = Array.from({ length: 20 }, (_, index) => ids[(first + index) % ids.length]);
    const fields = some.map(
      (id, index) => `t${index}: sendTestWebhook(input: { id: "${id}" }) { __typename }`,
    );
    expect((await stack.ask(`mutation { ${fields.join(' ')} }`)).errors).toBeUndefined();
  }
  await hanging.next(60);
  await pay();
  await proven.next(2);
  // One at a time each, until the first has failed.
  expect(hanging.received.length).toBeLessThanOrEqual(60);
  for (const { endpoint: one } of made) await remove(one.id);
});

test('the endpoints of a merchant have at most 20 attempts at the same time', async () => {
  let isHanging = false;
  const receiver = await receive((response) => isHanging || accept(response));
  const made = [];
  for (let count = 0; count < 6; count++) made.push(await create(receiver.url));
  await pay();
  await receiver.next(6);
  isHanging = true;
  for (let count = 0; count < 4; count++) await pay();
  await receiver.next(26);
  const { merchant: other } = await control.makeScene({ currency: 'NOK', payments: [] });
  const free = await receive(accept);
  const { endpoint: its } = await create(free.url, { merchantId: other.id });
  await mutate('sendTestWebhook', { id: its.id }, 'delivery { id }');
  await free.next(1);
  expect(receiver.received).toHaveLength(26);
  for (const { endpoint: one } of made) await remove(one.id);
});

test.each([
  ['interim responses', 'HTTP/1.1 102 Processing\r\nx: y\r\n\r\n', ''],
  ['sizes of chunks', 'x', 'HTTP/1.1 500 -\r\ntransfer-encoding: chunked\r\n\r\n1;'],
])('a receiver that sends endless %s is disconnected', async (_what, part, start) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).write(start);
    const more = () => {
      while (!socket.destroyed && socket.write(part.repeat(1_000)));
    };
    socket.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { endpoint: made } = await create(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  await mutate('sendTestWebhook', { id: made.id }, 'delivery { id }');
  const read = async () => (await endpoint(made.id)).deliveries.edges[0].node.attempts[0];
  // Before the time limit of an attempt.
  await expect
    .poll(read, { timeout: 12_000 })
    .toMatchObject(
      start === '' ? { status: null, error: 'The response was too large.' } : { status: 500 },
    );
  await remove(made.id);
});

test('an endpoint has a limited number of tests, and each kind once', async () => {
  const { endpoint: made } = await create('http://127.0.0.1:9/', {
    kinds: ['PAYOUT_SENT', 'PAYOUT_SENT'],
  });
  await mutate('updateWebhookEndpoint', { id: made.id, enabled: false }, 'endpoint { id }');
  const test = () => mutate('sendTestWebhook', { id: made.id }, 'delivery { id }');
  for (let count = 0; count < 10; count++) expect(await test()).toHaveProperty('delivery');
  expect(await test()).toMatchObject({ code: 'INVALID_INPUT', path: ['input', 'id'] });
  expect((await endpoint(made.id)).kinds).toEqual(['PAYOUT_SENT']);
  await remove(made.id);
});

test('a merchant that is not copied cannot have an endpoint', async () => {
  await stack.replica?.setState(merchant, 'STOPPED');
  const { errors } = await stack.ask(
    `mutation { createWebhookEndpoint(input: { merchantId: "${merchant}", url: "http://127.0.0.1:9/" }) {
      __typename } }`,
  );
  await stack.replica?.setState(merchant, 'READY');
  expect(errors).toMatchObject([{ extensions: { code: 'NO_REPLICA' } }]);
});

test.each([
  ['https://example.com/\r\nx: y', 'no spaces'],
  ['ftp://example.com/', 'must begin with `https:`'],
  ['/hook', 'must be absolute'],
  ['https://me:secret@example.com/', 'must not contain a user name'],
])('the URL %s is refused, and nothing is stored', async (url, message) => {
  const refused = await create(url);
  expect(refused).toMatchObject({ code: 'INVALID_INPUT', path: ['input', 'url'] });
  expect(refused.message).toContain(message);
  const { data } = await stack.ask(
    'query ($id: ID!) { merchant(id: $id) { webhookEndpoints { id } } }',
    { id: merchant },
  );
  expect(data.merchant.webhookEndpoints).toEqual([]);
});

test('another app can neither see nor change an endpoint', async () => {
  const receiver = await receive(accept);
  const { endpoint: made } = await create(receiver.url);
  const { data } = await stack.ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }',
  );
  const { key } = data.createApp;
  const ids = { id: made.id };
  for (const field of ['updateWebhookEndpoint', 'rotateWebhookSecret', 'sendTestWebhook']) {
    expect(await mutate(field, ids, '__typename', key)).toMatchObject({ code: 'FORBIDDEN' });
  }
  expect(await mutate('deleteWebhookEndpoint', ids, '__typename', key)).toMatchObject({
    code: 'FORBIDDEN',
  });
  const read = await stack.ask('query ($id: ID!) { node(id: $id) { id } }', ids, key);
  expect(read.data.node).toBeNull();
  await remove(made.id);
});
