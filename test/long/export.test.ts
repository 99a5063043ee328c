import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientStore } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';

const ITEMS = 100_000;
const PAGE = 100;
const LATENCY_MS = 10;
const MIB = 1_024 ** 2;
/** Pages between two measurements of the heap. */
const EVERY = 100;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const transaction = (index: number) => ({
  ...{ id: `t${index}`, merchantId: 'm1', created: new Date(index * 1_000).toISOString() },
  ...{ amount: 1_000 + index, currency: 'EUR', successful: true, error: false, trail: [] },
  custom: { order: `Order ${index}`, note: 'x'.repeat(100) },
});

/** A service with many transactions, newest first, which answers after a constant time. */
async function startService(): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://service');
    const before = url.searchParams.get('before')?.slice(1) ?? ITEMS;
    const newest = Number(before) - 1;
    const count = Math.min(Number(url.searchParams.get('limit')), newest + 1);
    const body = url.pathname.endsWith('/transactions')
      ? { transactions: Array.from({ length: count }, (_, index) => transaction(newest - index)) }
      : { merchant: { id: 'm1', currency: 'EUR' } };
    setTimeout(() => response.end(JSON.stringify(body)), LATENCY_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads the list page by page, as anybody would write it. Returns how long that takes. */
async function readByHand(url: string): Promise<number> {
  const start = performance.now();
  for (let before = ''; ; ) {
    const response = await fetch(`${url}/merchants/m1/transactions?limit=${PAGE}${before}`);
    const { transactions } = (await response.json()) as { transactions: { id: string }[] };
    if (transactions.length < PAGE) return performance.now() - start;
    before = `&before=${transactions.at(-1)?.id}`;
  }
}

test(`an export of ${ITEMS} items needs memory for some pages only, and little more time than their calls`, async () => {
  const url = await startService();
  const gateway = await startGateway({
    services: { usersUrl: url, paymentsUrl: url, posUrl: url },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
  onTestFinished(() => gateway.close());
  const query =
    '{ merchant(id: "m1") { transactions { edges { node { rawId createdAt amount { decimal currency } custom } } } } }';
  const start = performance.now();
  const response = await fetch(new URL('/export', gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any-key' },
    body: JSON.stringify({ query, path: 'merchant.transactions', format: 'jsonl' }),
  });
  const heaps: number[] = [];
  let [rows, last] = [0, ''];
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const lines = (last + decoder.decode(bytes, { stream: true })).split('\n');
    last = lines.pop() ?? '';
    const before = Math.floor(rows / (PAGE * EVERY));
    rows += lines.length;
    if (Math.floor(rows / (PAGE * EVERY)) === before) continue;
    collect();
    heaps.push(process.memoryUsage().heapUsed / MIB);
  }
  const exported = performance.now() - start;
  expect(rows).toBe(ITEMS + 1);
  const byHand = await readByHand(url);
  const growth = Math.max(...heaps) - (heaps[0] ?? 0);
  console.info(
    `heap grew by ${growth.toFixed(1)} MiB; ${(byHand / exported).toFixed(2)} of the rate of a pager written by hand`,
  );
  expect(growth).toBeLessThan(30);
});
