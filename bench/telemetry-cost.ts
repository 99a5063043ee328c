/**
 * `npm run bench:telemetry`: the CPU time that telemetry costs, in paired rounds: in each round,
 * every gateway gets the same load for the same time, and its CPU time for a request is compared
 * with that of the gateway without telemetry in the same round.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import { tillgraph } from './contestants.ts';
import { runLoad } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import { cpuMicros, pinSelf } from './process.ts';
import { scenarios } from './scenarios.ts';
import { startUpstream } from './services/start-upstream.ts';

const SCENARIO = 'distinct-10';
const ROUNDS = Number(process.argv[2] ?? 12);
const [WARM_UP_SECONDS, SETTLE_SECONDS, TIMED_SECONDS] = [6, 0.5, 2.5];
const CONNECTIONS = 32;
const VERIFIED = 100;

pinSelf();
const scenario = scenarios.find(({ name }) => name === SCENARIO);
if (scenario === undefined) throw new Error(`There is no scenario ${SCENARIO}.`);

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
const modes = [
  tillgraph('off'),
  tillgraph('off again'),
  tillgraph('metrics', metrics),
  tillgraph('metrics and traces of 1 %', { ...metrics, ...otlp('0.01') }),
  tillgraph('metrics and traces of all', { ...metrics, ...otlp('1') }),
];

const postgres = await startPostgres();
const upstream = await startUpstream(scenario);
const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
const file = join(folder, 'requests');
writeRequests(file, scenario, 'tillgraph');

/** The lengths of right answers. */
async function lengthsOf(url: string): Promise<number[]> {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, VERIFIED);
  const lengths = lines.map(async (line) => {
    const [authorization = '', body = ''] = line.split('\t');
    const headers = { 'content-type': 'application/json', authorization };
    const text = await (await fetch(url, { method: 'POST', headers, body })).text();
    if (text.includes('"errors"')) throw new Error(text);
    return Buffer.byteLength(text);
  });
  return [...new Set(await Promise.all(lengths))];
}

const median = (list: readonly number[]) =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

try {
  const runners = [];
  for (const mode of modes) {
    const databaseUrl = await createDatabase(postgres.url);
    const child = await mode.start({ upstreamUrl: upstream.url, databaseUrl });
    const load = { url: child.url, file, connections: CONNECTIONS };
    const lengths = await lengthsOf(child.url);
    await runLoad({ ...load, lengths, seconds: WARM_UP_SECONDS });
    runners.push({ name: mode.name, child, load: { ...load, lengths }, micros: [] as number[] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Each begins in turn, so that a change of the machine's speed cancels out.
    const first = round % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
      // A process that has waited for the others is slow at first.
      await runLoad({ ...runner.load, seconds: SETTLE_SECONDS });
      const before = cpuMicros(runner.child.pid);
      const { requests, wrong, errors } = await runLoad({ ...runner.load, seconds: TIMED_SECONDS });
      if (wrong + errors > 0) throw new Error(`${wrong + errors} wrong answers`);
      runner.micros.push((cpuMicros(runner.child.pid) - before) / requests);
    }
  }
  const [off] = runners;
  console.log(
    `\n${ROUNDS} paired rounds, ${scenario.title}, ${Math.round(exported / 1e6)} MB exported`,
  );
  console.log(
    '\n| telemetry | CPU for a request, µs | more than off, median of pairs | middle half |',
  );
  console.log('|---|---|---|---|');
  for (const { name, micros } of runners) {
    const more = micros.map((value, round) => (value / (off?.micros[round] ?? 1) - 1) * 100);
    const sorted = more.toSorted((a, b) => a - b);
    const quarter = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    console.log(
      `| ${name} | ${median(micros).toFixed(1)} | ${median(more).toFixed(1)} % | ${quarter(0.25)} to ${quarter(0.75)} % |`,
    );
  }
  for (const { child } of runners) await child.stop();
} finally {
  await upstream.stop();
  await postgres.stop();
  collector.close();
  rmSync(folder, { recursive: true, force: true });
}
