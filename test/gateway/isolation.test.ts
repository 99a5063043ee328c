import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { flood } from '../support/flood.ts';
import { patientStore } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, type StubService, startStubService } from '../support/stub-service.ts';

const REQUESTS = 1_000 * inject('scale');
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

const ids = ['t1', 't2', 't3'];
let service: StubService;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  const transaction = (id: string) => show((key) => ({ transaction: { id, descriptor: key } }));
  service = await startStubService({
    'GET /me': show((key) => ({ identity: { id: key, name: key } })),
    'GET /merchants/m1': show((key) => ({ merchant: { id: 'm1', name: key } })),
    'GET /merchants/m1/transactions': show((key) => ids.map((id) => ({ id, descriptor: key }))),
    ...Object.fromEntries(ids.map((id) => [`GET /transactions/${id}`, transaction(id)])),
  });
  gateway = await startGateway({
    services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: 'http://127.0.0.1:1' },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});

const documents = [
  '{ viewer { rawId name } }',
  '{ merchant(id: "m1") { name transactions(first: 3) { edges { node { descriptor } } } } }',
  ...ids.map((id) => `{ transaction(id: "${id}") { descriptor } viewer { name } }`),
  '{ node(id: "txn_t1") { ... on Transaction { descriptor } } }',
];

test(`of ${REQUESTS} requests of two apps for the same records, none shows what the other one sees`, async () => {
  let shown = 0;
  await flood(
    `${gateway.url}/graphql`,
    REQUESTS,
    (index) => ({
      body: JSON.stringify({ query: documents[Math.floor(index / 2) % documents.length] }),
      headers: { authorization: `Bearer ${KEYS[index % 2]}`, 'if-none-match': '"same"' },
    }),
    ({ status, text }, index) => {
      const [own, other] = [KEYS[index % 2] ?? '', KEYS[(index + 1) % 2] ?? ''];
      if (status !== 200 || text.includes(other) || !text.includes(own)) {
        throw new Error(`${own} got ${status} ${text}`);
      }
      shown++;
    },
  );
  expect(shown).toBe(REQUESTS);
});
