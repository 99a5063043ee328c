/**
 * `npm run bench:telemetry`: the CPU time that telemetry costs, in paired rounds against a gateway
 * without telemetry. `npm run bench:telemetry -- 20 metrics` makes 20 rounds with what is off again
 * and with metrics alone.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tillgraph } from './contestants.ts';
import { costTable, measureCosts } from './paired-costs.ts';

const [rounds = '12', ...names] = process.argv.slice(2);
const ROUNDS = Number(rounds);

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
const all = [
  tillgraph('off'),
  tillgraph('off again'),
  tillgraph('metrics', metrics),
  tillgraph('traces of 1 %', otlp('0.01')),
  tillgraph('metrics and traces of 1 %', { ...metrics, ...otlp('0.01') }),
  tillgraph('metrics and traces of all', { ...metrics, ...otlp('1') }),
];
const known = all.map(({ name }) => name);
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  collector.close();
  throw new Error(`There is no gateway "${unknown}". Choose from: ${known.join(', ')}.`);
}
// The first two show how much of a difference is noise.
const gateways = all.filter(({ name }, index) => {
  return names.length === 0 || index < 2 || names.includes(name);
});

const { title, costs } = await measureCosts(gateways, ROUNDS).finally(() => collector.close());
console.log(`\n${ROUNDS} paired rounds, ${title}, ${Math.round(exported / 1e6)} MB exported\n`);
console.log(costTable('telemetry', costs));
