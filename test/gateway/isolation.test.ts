import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createEpochs } from '../../src/gateway/upstream/epochs.ts';
import type { Flights } from '../../src/gateway/upstream/flights.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { flood } from '../support/flood.ts';
import { patientStore } from '../support/patience.ts';
import { type StackOptions, startGateway } from '../support/start-stack.ts';
import { type StubAnswer, type StubService, startStubService } from '../support/stub-service.ts';

const REQUESTS = inject('scale') === 1 ? 4_000 : 10_000 * inject('scale');
const KEYS = ['key-of-anna', 'key-of-berta'] as const;

/** A service that shows every caller their own key, and asks every cache to keep that. */
function show(record: (key: string) => object): StubAnswer {
  return (request, response) => {
    const [, encoded = ''] = (request.headers.authorization ?? '').split(' ');
    const key = Buffer.from(encoded, 'base64').toString().slice(1);
    response.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=3600, s-maxage=3600',
      etag: '"same"',
    });
    setTimeout(() => response.end(JSON.stringify(record(key))), randomInt(3));
  };
}

type Gateway = Awaited<ReturnType<typeof startGateway>>;

const ids = ['t1', 't2', 't3'];
let service: StubService;
let gateway: Gateway;
beforeAll(async () => {
  const transaction = (id: string) => show((key) => ({ transaction: { id, descriptor: key } }));
  service = await startStubService({
    'GET /me': show((key) => ({ identity: { id: key, name: key } })),
    'GET /merchants/m1': show((key) => ({ merchant: { id: 'm1', name: key } })),
    'GET /merchants/m1/transactions': show((key) => ids.map((id) => ({ id, descriptor: key }))),
    ...Object.fromEntries(ids.map((id) => [`GET /transactions/${id}`, transaction(id)])),
  });
  gateway = await startBefore(service);
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});

function startBefore({ url }: StubService, options: Pick<StackOptions, 'epochs'> = {}) {
  return startGateway({
    services: { usersUrl: url, paymentsUrl: url, posUrl: 'http://127.0.0.1:1' },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    coalesce: { mode: 'operation', epoch: 'credential' },
    ...options,
  });
}

const documents = [
  '{ viewer { rawId name } }',
  '{ merchant(id: "m1") { name transactions(first: 3) { edges { node { descriptor } } } } }',
  ...ids.map((id) => `{ transaction(id: "${id}") { descriptor } viewer { name } }`),
  '{ node(id: "txn_t1") { ... on Transaction { descriptor } } }',
];

/** Sends requests of both apps, in turn for the same records. Returns what was wrong. */
async function sendAll({ url }: Gateway, count: number): Promise<string[]> {
  const wrong: string[] = [];
  await flood(
    `${url}/graphql`,
    count,
    (index) => ({
      body: JSON.stringify({ query: documents[Math.floor(index / 2) % documents.length] }),
      headers: { authorization: `Bearer ${KEYS[index % 2]}`, 'if-none-match': '"same"' },
    }),
    ({ status, text }, index) => {
      const [own, other] = [KEYS[index % 2] ?? '', KEYS[(index + 1) % 2] ?? ''];
      const isOwn = status === 200 && text.includes(own) && !text.includes(other);
      if (!isOwn) wrong.push(`${own} got ${status} ${text}`);
    },
  );
  return wrong;
}

test(`of ${REQUESTS} requests of two apps for the same records, none shows what the other one sees`, async () => {
  service.requests.length = 0;
  expect(await sendAll(gateway, REQUESTS)).toEqual([]);
  // Each would make between one and two calls, so many requests have shared what they show.
  expect(service.requests.length).toBeLessThan(REQUESTS);
});

test.each(['operation', 'upstream'] as const)(
  'some would if all apps shared what they have in flight: %s',
  async (shared) => {
    const epochs = createEpochs({ mode: 'operation', epoch: 'credential' });
    const spoiled = await startBefore(service, {
      epochs: {
        ...epochs,
        createFlights: <T>(kind: 'operation' | 'upstream') => {
          const flights = epochs.createFlights<T>(kind);
          return kind === shared && flights ? withoutOwner(flights) : undefined;
        },
      },
    });
    expect(await sendAll(spoiled, 500)).not.toEqual([]);
    await spoiled.close();
  },
);

function withoutOwner<T>(flights: Flights<T>): Flights<T> {
  return {
    ...flights,
    find: (_owner, key, deadline) => flights.find('', key, deadline),
    begin: (_owner, key, until, work) => flights.begin('', key, until, work),
    get size() {
      return flights.size;
    },
  };
}
