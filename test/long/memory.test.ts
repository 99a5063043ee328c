import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newScope } from '../../src/gateway/channels.ts';
import { readDocument } from '../../src/gateway/execution/documents/read-document.ts';
import { schema } from '../../src/gateway/schema.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { flood } from '../support/flood.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { reasons, sendAtRate } from './support/traffic.ts';
import { createVisitor } from './support/visitor.ts';

const MIB = 1_024 ** 2;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.close());

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Memory that is in use after a collection. */
async function heapUsed(): Promise<number> {
  // What has just ended is freed in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  return process.memoryUsage().heapUsed / MIB;
}

async function send(count: number, make: (index: number) => object): Promise<void> {
  await flood(
    `${stack.url}/graphql`,
    count,
    (index) => ({ body: JSON.stringify(make(index)) }),
    ({ status }) => {
      if (status !== 200 && status !== 400 && status !== 413) throw new Error(String(status));
    },
    8,
  );
}

const fields = Array.from({ length: 240 }, () => '...F').join(' ');
const long = 'x'.repeat(200_000);
const floods: [name: string, count: number, make: (index: number) => object][] = [
  [
    'valid documents of 900 tokens',
    2_000,
    (index) => ({
      query: `query Q${index} { merchant(id: "a") { ${fields} } } fragment F on Merchant { __typename }`,
    }),
  ],
  ['documents that are not valid', 2_000, (index) => ({ query: `{ field${index} }` })],
  ['comments of 200 kB', 600, (index) => ({ query: `{ __typename } # ${index} ${long}` })],
  ['texts of 200 kB', 600, (index) => ({ query: `{ node(id: "${index}${long}") { id } }` })],
];

test.each(floods)('a flood of different %s leaves less than 60 MiB', async (_name, count, make) => {
  await send(50, (index) => make(count + index));
  const before = await heapUsed();
  await send(count, make);
  expect((await heapUsed()) - before).toBeLessThan(60);
});

test('the errors of 200 documents of 900 tokens take less than 10 MiB, without the documents', async () => {
  const { limits } = readGatewaySettings({}).documents;
  const read = (index: number) => {
    const names = Array.from({ length: 900 }, (_, at) => `field${at}`).join(' ');
    const text = `{ viewer { ${names} } } # ${index}`;
    const found = readDocument(text, { schema, limits, introspection: true }, newScope());
    return 'errors' in found ? found.errors : [];
  };
  const first = read(-1);
  const before = await heapUsed();
  const all = Array.from({ length: 200 }, (_, index) => read(index));
  expect((await heapUsed()) - before).toBeLessThan(10);
  expect([first, ...all].map((errors) => errors.length)).toEqual(Array(201).fill(5));
});

const RUNS = 5;
const PER_SECOND = 50;
const LOAD_MS = 30_000;
const CALM_MS = 10_000;

test(`${RUNS} runs of all kinds of requests, with calm between them, each leave less than 1 MiB`, async () => {
  const visit = createVisitor(stack.url, stack.sandbox.demoApp.key);
  const after: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const sent = await sendAtRate(visit, PER_SECOND, sleep(LOAD_MS));
    expect(reasons(sent)).toEqual({});
    await sleep(CALM_MS);
    after.push(await heapUsed());
  }
  console.info(`heap after each run in MiB: ${after.map((mib) => mib.toFixed(1)).join(', ')}`);
  // The first run compiles code and fills caches.
  const [, second = 0] = after;
  const last = after.at(-1) ?? Number.POSITIVE_INFINITY;
  expect((last - second) / (RUNS - 2)).toBeLessThan(1);
});
