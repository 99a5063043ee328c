import { EventEmitter, once } from 'node:events';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/sandbox/seed/demo-data.ts';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { type Ask, createAsk } from '../support/ask.ts';
import { freePort } from '../support/free-port.ts';
import { patientSettings, type Settings, startNode } from '../support/program.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { type EventReader, startReader } from './event-reader.ts';
import { openPGlite, openPostgres } from './kill-storage.ts';
import { createOthers, otherKinds, type World } from './others.ts';
import { happenedOf, readTold, toldOf } from './told.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

// A gateway is killed again and again while it tells what others do. Its client is disconnected, too,
// by itself and by the network. Nothing may be lost or doubled.

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const isLong = inject('scale') > 1;
/** Every day both at the same time; in the long tests, the one of the project. */
const databases = isLong ? [inject('database')] : (['PostgreSQL', 'PGlite'] as const);
const opens = { PostgreSQL: openPostgres, PGlite: openPGlite };
const kills = isLong ? { PostgreSQL: 130, PGlite: 70 } : { PostgreSQL: 7, PGlite: 3 };

/** A gateway is killed at a random point behind one of these: what it reads, and what it tells. */
const moments = [
  ...['GET /merchants/:id/lines', 'GET /merchants/:id/transactions', 'GET /disputes'],
  ...['GET /frauds', 'told', 'webhook'],
] as const;
const POINTS = 32;
/** One of so many messages is the last one of its connection. */
const BREAKS = 10;
/** What others do while a gateway starts, and again while it runs. */
const ACTIONS = 3;

test(`whenever a gateway is killed, everything is told exactly once (SEED=${SEED})`, async () => {
  await Promise.all(databases.map(killRepeatedly));
});

async function killRepeatedly(database: keyof typeof opens): Promise<void> {
  const random = createRandom(SEED);
  const seen = new EventEmitter();
  const services = await startServices(random, (call) => void seen.emit(call));
  const { key, merchants, act } = services;
  const storage = await opens[database]();
  onTestFinished(storage.close);
  const gateway = await prepareGateway({ ...services.settings, ...storage.settings }, key);
  let running = gateway.start();
  await gateway.untilServing();
  const receiver = await startReceiver(() => void seen.emit('webhook'));
  onTestFinished(receiver.close);
  for (const one of merchants) await createEndpoint(gateway.ask, one, receiver);
  const network = await startTcpProxy(gateway.port);
  onTestFinished(network.close);
  network.onReceived = ({ length }) => (random(BREAKS) === 0 ? random(length) : length);
  const reader = startReader(`http://127.0.0.1:${network.port}`, key, {
    merchants,
    untilServing: gateway.untilServing,
    onMessage: (event) => {
      seen.emit(event === null ? 'subscribed' : 'told');
      return random(BREAKS) === 0;
    },
  });
  await once(seen, 'subscribed');
  for (let left = kills[database]; left > 0; left--) {
    const moment = moments[random(moments.length)] ?? 'told';
    const point = random(POINTS);
    const reached = Promise.race([once(seen, moment), running.ended]);
    const killed = reached.then(() => storage.kill(running, point));
    const subscribed = once(seen, 'subscribed');
    await act();
    await Promise.race([subscribed, killed]);
    await act();
    await killed;
    // Nothing but bugs is logged.
    expect(await running.ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    await storage.release();
    running = gateway.start();
  }
  const parts = { ask: gateway.ask, end: new Date().toISOString(), reader, receiver };
  await gateway.untilServing();
  const feeds = await Promise.all(merchants.map((one) => untilDelivered(one, parts)));
  await reader.close();
  const happened = (await Promise.all(merchants.map(services.readHappened))).flat();
  const found = compare(happened, reader, receiver);
  console.log(`event kills: ${database}, ${kills[database]} kills, SEED=${SEED}, ${found.summary}`);
  expect(found).toMatchObject({ lost: [], doubled: [], gaps: [], changed: [] });
  expect(feeds.flat().sort()).toEqual(happened.sort());
  expect([...receiver.bodies.keys()].sort()).toEqual(reader.received.map(({ id }) => id).sort());
}

/** A sandbox with two merchants at which others do something. */
async function startServices(
  random: ReturnType<typeof createRandom>,
  onCall: (call: string) => void,
) {
  const sandbox = await startTestSandbox({
    controlPort: 0,
    log: ({ method, path }) => onCall(`${method} ${path}`),
  });
  onTestFinished(sandbox.close);
  const { usersUrl, paymentsUrl, posUrl, demoApp, controlUrl = '' } = sandbox;
  const control = createControl(controlUrl);
  const others = createOthers(rest(paymentsUrl, demoApp.key), control);
  const worlds: World[] = [];
  for (const currency of ['EUR', 'USD']) {
    const { merchant } = await control.makeScene({ currency, payments: [] });
    const nothing = { transactions: [], disputes: [], silent: new Set<string>() };
    worlds.push({ merchant: merchant.id.replace(/^mer_/, ''), ...nothing });
  }
  return {
    key: demoApp.key,
    merchants: worlds.map(({ merchant }) => merchant),
    settings: {
      ...{ USERS_URL: usersUrl, PAYMENTS_URL: paymentsUrl, POS_URL: posUrl },
      PAYMENTS_API_KEY: demoApp.key,
    },
    /** Others pay at every merchant, and then do something else. */
    act: async () => {
      for (const world of worlds) await others.perform(world, { kind: 'pay', pick: 0, share: 1 });
      for (let left = ACTIONS; left > 0; left--) {
        const kind = otherKinds[random(otherKinds.length)] ?? 'pay';
        // What was paid long ago has nothing left to move.
        const action = { kind, pick: random(10), share: 1 + random(100) };
        for (const world of worlds) await others.perform(world, action);
      }
    },
    /** What happened at a merchant. */
    readHappened: async (merchant: string) => happenedOf(await others.readAll(merchant)),
  };
}

/** A gateway that is started again and again, always on the same port. */
async function prepareGateway(settings: Settings, key: string) {
  const port = await freePort();
  let serving = Promise.withResolvers<void>();
  return {
    port,
    ask: createAsk(`http://127.0.0.1:${port}`, key),
    start: () => {
      const running = startNode(['bin/gateway.js'], {
        ...{ ...patientSettings, ...settings, PORT: String(port) },
        ...{ SYNC_CALLS_PER_S: '10000', WEBHOOKS_PRIVATE: 'on', LOG_LEVEL: 'error' },
      });
      const serve = () => {
        serving.resolve();
        void running.ended.then(() => {
          serving = Promise.withResolvers();
        });
      };
      // It can be killed before.
      running.printed(/http:\S+/).then(serve, () => {});
      return running;
    },
    /** Waits until one of them serves. */
    untilServing: () => serving.promise,
  };
}

/** Waits until a merchant is copied as it was at a time, or later. */
async function untilCopied(ask: Ask, merchant: string, time: string): Promise<void> {
  const query = 'query ($id: ID!) { merchant(id: $id) { replica { asOf } } }';
  const readAsOf = async () => (await ask(query, { id: merchant })).data.merchant.replica?.asOf;
  await expect.poll(async () => (await readAsOf()) > time).toBe(true);
}

async function createEndpoint(ask: Ask, merchant: string, receiver: WebhookReceiver) {
  await untilCopied(ask, merchant, '');
  const { data } = await ask(
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
      ... on CreateWebhookEndpointSuccess { secret } } }`,
    { input: { merchantId: merchant, url: `${receiver.url}/${merchant}` } },
  );
  receiver.secrets.set(`/${merchant}`, data.createWebhookEndpoint.secret);
}

interface Told {
  readonly ask: Ask;
  /** When others did something for the last time, or later. */
  readonly end: string;
  readonly reader: EventReader;
  readonly receiver: WebhookReceiver;
}

/**
 * Waits until everything was told that happened at a merchant, and every delivery has succeeded.
 * Returns what is in the feed.
 */
async function untilDelivered(
  merchant: string,
  { ask, end, reader, receiver: { bodies } }: Told,
): Promise<string[]> {
  await untilCopied(ask, merchant, end);
  const feed = await readTold(ask, merchant);
  const read = () => reader.received.filter((event) => event.merchant.rawId === merchant);
  await expect.poll(() => read().at(-1)?.seq).toBe(feed.length);
  await expect.poll(() => read().filter(({ id }) => !bodies.has(id))).toEqual([]);
  const query = `query ($id: ID!) { merchant(id: $id) { webhookEndpoints {
    newest: deliveries(first: 1) { edges { node { id } } }
    left: deliveries(first: 1, states: [PENDING, FAILED]) { edges { node { id } } } } } }`;
  const readDeliveries = async () => (await ask(query, { id: merchant })).data.merchant;
  // Deliveries have numbers, too.
  const newest = { node: { id: expect.stringMatching(`-${feed.length}$`) } };
  const endpoint = { newest: { edges: [newest] }, left: { edges: [] } };
  await expect.poll(readDeliveries).toEqual({ webhookEndpoints: [endpoint] });
  return feed;
}

/** Compares what happened with what a client and a receiver were told. */
function compare(
  happened: readonly string[],
  { received, subscriptions }: EventReader,
  { bodies }: WebhookReceiver,
) {
  const told = received.map(toldOf);
  const lost = without(happened, told);
  const doubled = without(told, happened);
  const last = new Map<string, number>();
  const gaps = received.filter(({ seq, merchant: { rawId } }) => {
    const before = last.get(rawId) ?? 0;
    last.set(rawId, seq);
    return seq !== before + 1;
  });
  const changed = [...bodies.values()].filter((some) => new Set(some).size > 1);
  const messages = [...bodies.values()].flat();
  const summary =
    `${told.length} events told in ${subscriptions} subscriptions: ${lost.length} lost, ` +
    `${doubled.length} doubled, ${gaps.length} gaps; ${messages.length} webhooks of ${bodies.size}`;
  return { lost, doubled, gaps, changed, summary };
}

/** What is in a list more often than in another. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((one) => {
    const place = left.indexOf(one);
    if (place !== -1) left.splice(place, 1);
    return place === -1;
  });
}
