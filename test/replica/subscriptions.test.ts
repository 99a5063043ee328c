import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { sendHttp } from '../support/http-client.ts';
import { patientStore } from '../support/patience.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { type Sent, type Subscribed, subscribe } from '../support/subscribe.ts';
import { openTestReplica, type TestReplica } from '../support/test-replica.ts';
import { signToken, tokenSettings } from '../support/token.ts';

// Who may subscribe, how many can, and how subscriptions end.

type Started = Awaited<ReturnType<typeof startGateway>>;

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let replica: TestReplica;
let gateway: Started;
let control: ReturnType<typeof createControl>;
let start: (options?: object) => Promise<Started>;
let merchants: string[];
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  sandbox = await startTestSandbox({ controlPort: 0 });
  const { usersUrl, paymentsUrl, posUrl, demoApp } = sandbox;
  control = createControl(sandbox.controlUrl ?? '');
  replica = await openTestReplica(demoApp.key);
  // The last one to end closes it.
  const shared = { ...replica, store: { ...replica.store, close: async () => {} } };
  start = async (options = {}) => {
    const started = await startGateway({
      services: { usersUrl, paymentsUrl, posUrl },
      store: createMemoryStore(Date.now, patientStore.leaseMs),
      sync: { ...fastSync, maxSubscriptions: 4 },
      replica: shared,
      ...options,
    });
    let ended: Promise<void> | undefined;
    const close = async () => {
      ended ??= started.close();
      await ended;
      expect(started.bugs).toEqual([]);
    };
    closing.push(close);
    return { ...started, close };
  };
  gateway = await start();
  await replica.ready();
  const { data } = await gateway.ask('{ merchants { edges { node { rawId } } } }', {}, demoApp.key);
  merchants = data.merchants.edges.map(({ node }: { node: { rawId: string } }) => node.rawId);
});
const open: Subscribed[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(async () => {
  for (const close of closing) await close();
  await replica?.store.close();
  await sandbox?.close();
});

const SUBSCRIPTION = `subscription ($merchantIds: [ID!], $after: String) {
  events(merchantIds: $merchantIds, after: $after) { cursor event { seq merchant { name } } } }`;

function listen(key = sandbox.demoApp.key, variables: object = {}, { url } = gateway) {
  const subscribed = subscribe(url, key, SUBSCRIPTION, { ...variables });
  open.push(subscribed);
  return subscribed;
}

const pay = () =>
  control.pay({ merchantId: merchants[0] ?? '', amount: 1_000, card: '4100000000000000' });

const codesOf = (messages: readonly Sent[]) =>
  messages.map(({ errors }) => errors?.[0]?.extensions?.code);

test('another app, a token for others and no key are told nothing', async () => {
  const live = listen();
  await live.next();
  await pay();
  await live.next();
  await live.close();
  const withTokens = await start(tokenSettings(sandbox.demoApp.key));
  const { data } = await gateway.ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }',
  );
  const own = await signToken({ merchants: [merchants[0] ?? ''] });
  const other = await signToken({ merchants: ['6a1d3c007469000061c5ffff'] });
  const named = { merchantIds: [merchants[0]] };
  await listen(sandbox.demoApp.key, named).next();
  expect((await listen(own, named, withTokens).next()).data.events.event).toBeNull();
  expect(codesOf(await listen(data.createApp.key, named).rest())).toEqual(['BAD_USER_INPUT']);
  expect(codesOf(await listen(data.createApp.key).rest())).toEqual(['BAD_USER_INPUT']);
  expect(codesOf(await listen(other, named, withTokens).rest())).toEqual(['BAD_USER_INPUT']);
  expect(codesOf(await listen('wrong').rest())).toEqual(['UNAUTHENTICATED']);
  const event = `evt_${merchants[0]}-1`;
  const read = 'query ($id: ID!) { event(id: $id) { kind } node(id: $id) { id } }';
  expect((await gateway.ask(read, { id: event }, sandbox.demoApp.key)).data.node.id).toBe(event);
  const foreign = await gateway.ask(read, { id: event }, data.createApp.key);
  expect(foreign.data).toEqual({ event: null, node: null });
  const denied = await withTokens.ask(read, { id: event }, other);
  expect(denied.data).toEqual({ event: null, node: null });
});

test('the cursor of others does not let anybody read their events', async () => {
  const live = listen();
  const { cursor } = (await live.next()).data.events;
  const { data } = await gateway.ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }',
  );
  const given = { merchantIds: null, after: cursor };
  expect(codesOf(await listen(data.createApp.key, given).rest())).toEqual(['BAD_USER_INPUT']);
});

test('one caller can have half of all subscriptions, and one that leaves makes room', async () => {
  const first = listen();
  await first.next();
  await listen().next();
  expect(codesOf(await listen().rest())).toEqual(['TOO_MANY_SUBSCRIPTIONS']);
  await first.close();
  await expect
    .poll(async () => codesOf([await listen().next()]), { timeout: 30_000 })
    .toEqual([undefined]);
});

test('a gateway that stops says where to go on, and another one goes on there', async () => {
  const stopping = await start();
  const live = listen(sandbox.demoApp.key, {}, stopping);
  await live.next();
  await pay();
  const told = await live.next();
  await stopping.close();
  const [last, ...others] = await live.rest();
  expect(others).toEqual([]);
  expect(last?.errors?.[0]?.extensions).toEqual({
    code: 'SUBSCRIPTION_ENDED',
    cursor: told.data.events.cursor,
  });
  await pay();
  const after = last?.errors?.[0]?.extensions?.cursor;
  const again = listen(sandbox.demoApp.key, { after });
  await again.next();
  expect((await again.next()).data.events.event.seq).toBe(told.data.events.event.seq + 1);
});

test('a subscription ends when its merchant is not kept up to date any more', async () => {
  const scanning = await start({ replica: undefined });
  expect(codesOf(await listen(sandbox.demoApp.key, {}, scanning).rest())).toEqual(['NO_REPLICA']);
  for (const id of merchants) await replica.setState(id, 'STOPPED');
  expect(codesOf(await listen().rest())).toEqual(['NO_REPLICA']);
  for (const id of merchants) await replica.setState(id, 'READY');
});

test('each event costs what a request costs', async () => {
  const limited = await start({ rate: { pointsPerMinute: 1_000, keylessPerMinute: 0 } });
  const left = async () => {
    const { headers } = await fetch(`${limited.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${sandbox.demoApp.key}`,
      },
      body: JSON.stringify({ query: '{ viewer { id } }' }),
    });
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  const live = listen(sandbox.demoApp.key, {}, limited);
  await live.next();
  const before = await left();
  await pay();
  await live.next();
  // The read itself costs one.
  expect(await left()).toBeLessThan(before - 1);
});

test('a client that accepts only JSON is told how to subscribe', async () => {
  const { status, text } = await sendHttp(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${sandbox.demoApp.key}`,
    },
    body: JSON.stringify({ query: SUBSCRIPTION }),
  });
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    errors: [{ message: expect.stringContaining('text/event-stream') }],
  });
});
