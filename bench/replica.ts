/**
 * What the replica costs and saves: `npm run bench -- replica`. A service with many transactions
 * that it makes up when they are asked for, a gateway that copies them, and one that scans.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '../test/support/postgres-server.ts';
import { describeMachine } from './machine.ts';
import { type Child, residentMegabytes, startChild } from './process.ts';
import { quantile } from './quantile.ts';

const KEY = 'key';
const APART_MS = 30_000;
const DAY_MS = 86_400_000;
/** When the newest transaction was made. */
const NEWEST = Date.now() - DAY_MS;
const ROUNDS = 5;
/** A scan of more takes too long. */
const SCANNED = 100_000;

const idOf = (index: number) => `6b${String(index).padStart(22, '0')}`;

/** When the transaction with an index was made, of so many. The largest is the newest. */
const timeOf = (index: number, count: number) =>
  new Date(NEWEST - (count - index) * APART_MS).toISOString();

/** The transaction with an index. Every tenth is not captured. */
function transactionOf(index: number, count: number): object {
  const amount = ((index * 7_919) % 100_000) + 1;
  const isCaptured = index % 10 !== 0;
  const created = timeOf(index, count);
  return {
    ...{ id: idOf(index), merchantId: 'm1', test: true, created, currency: 'EUR', amount },
    ...{ pendingAmount: isCaptured ? 0 : amount, capturedAmount: isCaptured ? amount : 0 },
    ...{ refundedAmount: 0, voidedAmount: 0, disputedAmount: 0, descriptor: 'SHOP' },
    card: { bin: '410000', last4: String(index % 10_000).padStart(4, '0'), scheme: 'visa' },
    ...{ custom: { reference: `Order ${index}` }, recurring: false, successful: true },
    ...{ error: false, trail: isCaptured ? [{ capture: true, amount, created }] : [] },
  };
}

/** A payments service with one merchant. */
async function startService(count: number) {
  const calls: string[] = [];
  const merchant = { id: 'm1', currency: 'EUR', test: true, created: timeOf(0, count), balance: 0 };
  function answer({ pathname, searchParams }: URL): object {
    if (pathname === '/me') return { identity: { id: 'app' } };
    const before = searchParams.get('before');
    if (pathname === '/identities/app/merchants') return { merchants: before ? [] : [merchant] };
    if (pathname === '/merchants/m1') return { merchant };
    if (pathname !== '/merchants/m1/transactions') return { items: [] };
    const limit = Number(searchParams.get('limit'));
    const after = searchParams.get('after');
    const first = after ? Number(after.slice(2)) + 1 : Number(before?.slice(2) ?? count + 1) - 1;
    const length = Math.max(0, Math.min(limit, after ? count - first + 1 : first));
    const indexes = Array.from({ length }, (_, step) => (after ? first + step : first - step));
    return { transactions: indexes.map((index) => transactionOf(index, count)) };
  }
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    calls.push(url);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(new URL(url, 'http://service'))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, calls, close: () => server.close() };
}

type Service = Awaited<ReturnType<typeof startService>>;

function startGateway(service: Service, env: Record<string, string>): Promise<Child> {
  return startChild({
    command: process.execPath,
    args: [fileURLToPath(new URL('../bin/gateway.js', import.meta.url))],
    env: {
      ...{ USERS_URL: service.url, PAYMENTS_URL: service.url, POS_URL: service.url, PORT: '0' },
      ...{ PAYMENTS_API_KEY: KEY, SYNC_CALLS_PER_S: '10000' },
      ...env,
    },
    place: 'contestant',
    ready: /(http:\/\/127\.0\.0\.1:\d+)/,
  });
}

async function ask(gateway: Child, query: string) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await response.json();
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

/** What is asked for; fields of the merchant. */
function questions(count: number): readonly (readonly [string, (after: string) => string])[] {
  const list = (args: string) => (after: string) =>
    `list: transactions(first: 20, ${args} ${after}) { edges { node { id amount { minorUnits } } } search { complete } pageInfo { hasNextPage endCursor } }`;
  const totals = (args: string) => (after: string) =>
    `list: transactionTotals(groupBy: [STATE] ${args} ${after}) { groups { count amount { minorUnits } } search { complete } endCursor }`;
  const month = `createdAt: { from: "${timeOf(count - 86_400, count)}", to: "${timeOf(count - 1, count)}" }`;
  return [
    ['a page of a state', list('filter: { state: [AUTHORIZED] }')],
    ['the last digits of a card', list('filter: { card: { last4: "0007" } }')],
    ['a reference, by text', list(`filter: { text: "order ${Math.round(count / 3)}" }`)],
    ['totals of a month', totals(`filter: { ${month} }`)],
    ['totals of all', totals('')],
  ];
}

/** What only a replica can answer. */
const onlyCopied: readonly (readonly [string, (after: string) => string])[] = [
  [
    'a page by amount',
    () => 'list: transactions(first: 20, orderBy: { field: AMOUNT }) { edges { node { id } } }',
  ],
  [
    'how many of a state',
    () => 'list: transactions(first: 0, filter: { state: [CAPTURED] }) { totalCount }',
  ],
];

/** Asks until the page is full or everything was examined. */
async function complete(gateway: Child, question: (after: string) => string) {
  let requests = 0;
  for (let after = ''; ; ) {
    requests++;
    const { merchant } = await ask(gateway, `{ merchant(id: "m1") { ${question(after)} } }`);
    const { edges, search, pageInfo, endCursor } = merchant.list;
    if (search?.complete !== false || edges?.length === 20) return requests;
    after = `after: "${pageInfo?.endCursor ?? endCursor}"`;
  }
}

const isForAccess = (url: string) => url === '/merchants/m1';
const isOfSync = (url: string) => /after=|^\/(me$|identities|disputes|frauds)/.test(url);

async function measure(gateway: Child, service: Service, question: (after: string) => string) {
  const times: number[] = [];
  let [requests, calls] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    service.calls.length = 0;
    const start = performance.now();
    requests = await complete(gateway, question);
    times.push(performance.now() - start);
    calls = service.calls.filter((url) => !isForAccess(url) && !isOfSync(url)).length;
    // One scan of many is enough.
    if ((times[0] ?? 0) > 5_000) break;
  }
  return { ms: quantile(times, 0.5), requests, calls };
}

async function copied(gateway: Child): Promise<void> {
  for (;;) {
    const { merchant } = await ask(gateway, '{ merchant(id: "m1") { replica { state } } }');
    if (merchant.replica?.state === 'READY') return;
    await elapse(100);
  }
}

/** The memory of a process that has copied nothing itself, after each question. */
async function memoryOf(count: number, service: Service, env: Record<string, string>) {
  const gateway = await startGateway(service, env);
  await copied(gateway);
  for (const [, question] of [...questions(count), ...onlyCopied])
    await complete(gateway, question);
  const megabytes = residentMegabytes(gateway.pid);
  await gateway.stop();
  return megabytes;
}

const show = ({ ms, requests, calls }: Awaited<ReturnType<typeof measure>>) =>
  `${ms.toFixed(ms < 10 ? 1 : 0)} ms | ${requests} | ${calls}`;

async function compare(count: number, name: string, env: Record<string, string>): Promise<string> {
  const service = await startService(count);
  const scanning = await startGateway(service, { ...env, SYNC: 'off' });
  await ask(scanning, '{ merchant(id: "m1") { name } }');
  const without = residentMegabytes(scanning.pid);
  const scanRows = new Map<string, string>();
  for (const [what, question] of count > SCANNED ? [] : questions(count)) {
    scanRows.set(what, show(await measure(scanning, service, question)));
  }
  await scanning.stop();
  service.calls.length = 0;
  const start = performance.now();
  const gateway = await startGateway(service, env);
  await copied(gateway);
  const seconds = (performance.now() - start) / 1_000;
  const pages = service.calls.filter((url) => url.includes('/transactions')).length;
  const rows: string[] = [];
  for (const [what, question] of [...questions(count), ...onlyCopied]) {
    const found = show(await measure(gateway, service, question));
    rows.push(`| ${what} | ${found} | ${scanRows.get(what) ?? '| |'} |`);
  }
  await gateway.stop();
  const memory = (await memoryOf(count, service, env)) - without;
  service.close();
  return `## ${count.toLocaleString('en')} transactions, ${name}

Copied in ${seconds.toFixed(0)} s, with ${pages} calls for transactions. A process that starts later and is asked everything once has ${Math.round(memory)} MB more than one without a replica that is asked for the name of the merchant.

| | replica | requests | calls | scan | requests | calls |
|---|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}
`;
}

/** Measures and writes `bench/REPLICA.md`. */
export async function benchReplica(serverUrl: string, isQuick: boolean): Promise<void> {
  const sizes = isQuick ? [10_000] : [100_000, 1_000_000];
  const parts: string[] = [];
  for (const count of sizes) {
    const database = { DATABASE_URL: await createDatabase(serverUrl) };
    parts.push(await compare(count, 'PostgreSQL', database));
    console.log(parts.at(-1));
  }
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
  try {
    parts.push(await compare(sizes[0] ?? 0, 'PGlite', { DATA_DIR: join(folder, 'data') }));
    console.log(parts.at(-1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (isQuick) return;
  const { processor, node } = describeMachine();
  const text = `# The replica, beside a scan

Each row is the median of ${ROUNDS} complete answers over HTTP: as many requests as it takes to fill a page of 20, or to examine everything. Calls are those to the service for lists; each request makes one more for access. The service is on the same machine and takes under a millisecond. Measured by \`npm run bench -- replica\` on ${new Date().toISOString().slice(0, 10)}: ${processor}, Node ${node}.

${parts.join('\n')}`;
  writeFileSync(new URL('REPLICA.md', import.meta.url), text);
}
