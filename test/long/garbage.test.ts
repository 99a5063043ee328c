import { expect, test } from 'vitest';
import { flood } from '../support/flood.ts';
import { startOptions } from '../support/start-options.ts';
import { openServices } from './support/gateway-programs.ts';

const REQUESTS = 10_000;
/** Of what is allocated. What 32 requests need at one time is a few percent of it. */
const MAX_SURVIVING = 0.08;

/** What makes a program print each garbage collection. */
const TRACE = ['--trace-gc', '--trace-gc-nvp'];
/** Sets the options that NODE_OPTIONS may not have. */
const SCRIPT = encodeURIComponent(
  `import { setFlagsFromString } from 'node:v8';${[...startOptions, ...TRACE]
    .map((option) => `setFlagsFromString('${option}')`)
    .join(';')}`,
);
/** Those that it may have, such as the room for new objects, which has to be known at the start. */
const ALLOWED = startOptions.filter((option) => process.allowedNodeEnvironmentFlags.has(option));
const NODE_OPTIONS = [...ALLOWED, `--import=data:text/javascript,${SCRIPT}`].join(' ');

const transactions = Array.from({ length: 10 }, (_, index) => ({
  id: `t${index}`,
  amount: 100,
  currency: 'EUR',
}));

const QUERY = `query ($id: ID!) {
  merchant(id: $id) {
    name
    transactions(first: 10) { edges { node { rawId } } pageInfo { endCursor } }
  }
}`;

/**
 * What minor collections saw: bytes that were allocated, and bytes that survived one. Node.js 26
 * prints JSON, and earlier versions names and values with `=` between them.
 */
function readCollections(output: string): { allocated: number; surviving: number } {
  const minor = output.split('\n').filter((line) => / gc=s |"gc":"s"/.test(line));
  const sum = (name: string) =>
    minor
      // The first half compiles code and fills caches.
      .slice(minor.length / 2)
      .map((line) => Number(new RegExp(`\\b${name}"?[=:](\\d+)`).exec(line)?.[1]))
      .reduce((all, bytes) => all + bytes, 0);
  return {
    allocated: sum('allocated'),
    surviving: sum('promoted') + sum('new_space_survived'),
  };
}

test('what a request leaves is freed by the next minor garbage collection', async () => {
  const start = await openServices({
    'GET /merchants/m1': { json: { id: 'm1', name: 'Shop' } },
    'GET /merchants/m1/transactions': { json: { transactions } },
  });
  const { url, stop } = await start({ NODE_OPTIONS, COALESCE: 'off' });
  const body = JSON.stringify({ query: QUERY, variables: { id: 'm1' } });
  const headers = { authorization: 'Bearer any-key' };
  const texts = new Set<string>();
  await flood(
    `${url}/graphql`,
    REQUESTS,
    () => ({ body, headers }),
    ({ text }) => texts.add(text),
  );
  expect([...texts]).toEqual([expect.stringMatching(/^\{"data":.*"endCursor":"\w+"/)]);
  const { stdout } = await stop();
  const { allocated, surviving } = readCollections(stdout);
  const share = surviving / allocated;
  console.info(`${(100 * share).toFixed(1)} % of the garbage survives a minor collection`);
  expect(allocated).toBeGreaterThan(100e6);
  expect(share).toBeLessThan(MAX_SURVIVING);
});
