/**
 * `npm run bench:telemetry`: the CPU time that telemetry costs. It is turned on and off in turns in
 * one process. `npm run bench:telemetry -- 6 metrics` uses six processes with metrics, and six with
 * nothing, which shows the noise.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withCostSetup } from './cost-setup.ts';
import { quantile } from './quantile.ts';
import { addTurns, type Block, microsOff, microsOn, ratioOf } from './telemetry/block.ts';
import { measureTurns } from './telemetry/turns.ts';

const [count = '4', ...names] = process.argv.slice(2);
const PROCESSES = Number(count);
if (!Number.isInteger(PROCESSES) || PROCESSES < 1) {
  throw new Error(`"${count}" is not a number of processes.`);
}
/** For each process. */
const SECONDS = 60;

let exported = 0;
const collector = createServer(async (request, response) => {
  for await (const chunk of request) exported += chunk.length;
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
// A server that listens on a port has an AddressInfo.
const { port } = collector.address() as AddressInfo;
const otlp = (ratio: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: ratio,
  OTEL_BSP_MAX_QUEUE_SIZE: '100000',
});
const metrics = { OPERATIONS_PORT: '0' };
/** The shorter a turn, the less the speed of the machine changes meanwhile. */
const SHORT_MS = 100;
/** To stop traces takes time, because what is left is exported. */
const LONG_MS = 500;
const all = new Map([
  // Shows how much of a difference is noise.
  ['nothing', { settings: {}, turnMs: SHORT_MS }],
  ['metrics', { settings: metrics, turnMs: SHORT_MS }],
  ['traces of 1 %', { settings: otlp('0.01'), turnMs: LONG_MS }],
  // Has five times as many exports as the row above. The difference shows what they cost.
  ['traces of 1 %, short turns', { settings: otlp('0.01'), turnMs: SHORT_MS }],
  ['metrics and traces of 1 %', { settings: { ...metrics, ...otlp('0.01') }, turnMs: LONG_MS }],
  ['metrics and traces of all', { settings: { ...metrics, ...otlp('1') }, turnMs: LONG_MS }],
]);
const unknown = names.find((name) => !all.has(name));
if (unknown !== undefined) {
  collector.close();
  throw new Error(
    `There is no telemetry "${unknown}". Choose from: ${[...all.keys()].join(', ')}.`,
  );
}
const chosen = [...all].filter(([name], index) => {
  return names.length === 0 || index === 0 || names.includes(name);
});

/** The blocks of each process. */
const measured = new Map<string, Block[][]>(chosen.map(([name]) => [name, []]));
await withCostSetup(async (setup) => {
  for (let made = 1; made <= PROCESSES; made++) {
    for (const [name, telemetry] of chosen) {
      const blocks = await measureTurns(setup, { ...telemetry, seconds: SECONDS });
      measured.get(name)?.push(blocks);
      console.log(`${made}. ${name}: ${medianMore(blocks)} %, in total ${totalMore(blocks)} %`);
    }
  }
  const extent = `${PROCESSES} processes for each, for ${SECONDS} seconds`;
  console.log(`\n${extent}, ${setup.title}, ${Math.round(exported / 1e6)} MB exported\n`);
}).finally(() => collector.close());

const columns = [
  ...['telemetry', 'CPU for a request with it, µs, in total', 'without it, µs'],
  ...['more with it, median of blocks', 'median of each process', 'in total'],
];
console.log(`| ${columns.join(' | ')} |\n|---|---|---|---|---|---|`);
for (const [name, processes] of measured) {
  const blocks = processes.flat();
  const sum = sumOf(blocks);
  const [on, off] = [microsOn(sum).toFixed(1), microsOff(sum).toFixed(1)];
  const each = processes.map(medianMore).join(', ');
  console.log(
    `| ${name} | ${on} | ${off} | ${medianMore(blocks)} % of ${blocks.length} | ${each} % | ${totalMore(blocks)} % |`,
  );
}

/** How much more a request cost than without telemetry, in percent. */
function medianMore(blocks: readonly Block[]): string {
  return toPercent(quantile(blocks.map(ratioOf), 0.5));
}

/** The same for the sums of all turns, so that what happens in few of them counts. */
function totalMore(blocks: readonly Block[]): string {
  return toPercent(ratioOf(sumOf(blocks)));
}

function sumOf(blocks: readonly Block[]): Block {
  return blocks.reduce((sum, { on, off }) => ({
    on: addTurns(sum.on, on),
    off: addTurns(sum.off, off),
  }));
}

function toPercent(ratio: number): string {
  return ((ratio - 1) * 100).toFixed(1);
}
