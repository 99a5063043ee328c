/**
 * The built-in load generator, a process of its own. Closed loop: every connection sends its
 * next request when it has an answer. Open loop: requests are due at a constant rate, and their
 * latency counts from the moment they were due.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    file: { type: 'string', default: '' },
    counter: { type: 'string', default: '0' },
    lengths: { type: 'string', default: '' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '1' },
    /** Requests per second of the open loop; 0 for the closed loop. */
    rate: { type: 'string', default: '0' },
  },
});

const MARKER = '@@@@@@@@@@@@';
/** More waiting requests than this mean that the rate is too high to measure anything. */
const MAX_WAITING = 10_000;
const url = new URL(values.url);
const lengths = new Set(values.lengths.split(',').map(Number));
const pool = new Pool(url.origin, { connections: Number(values.connections) });
const requests = readFileSync(values.file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [authorization = '', body = ''] = line.split('\t');
    return { authorization, body, isMarked: body.includes(MARKER) };
  });
const latenciesMs: number[] = [];
let counter = Number(values.counter);
let next = 0;
let right = 0;
let wrong = 0;
let errors = 0;

function nextRequest(): { authorization: string; body: string } {
  const request = requests[next++ % requests.length];
  if (request === undefined) throw new Error('No requests.');
  if (!request.isMarked) return request;
  counter += 1;
  const body = request.body.replaceAll(MARKER, String(counter).padStart(MARKER.length, '0'));
  return { ...request, body };
}

/** Sends one request. Never rejects. */
async function send(dueMs: number): Promise<void> {
  const { authorization, body } = nextRequest();
  try {
    const response = await pool.request({
      method: 'POST',
      path: url.pathname,
      headers: { 'content-type': 'application/json', authorization },
      body,
    });
    const { byteLength } = await response.body.arrayBuffer();
    if (response.statusCode === 200 && lengths.has(byteLength)) right += 1;
    else wrong += 1;
  } catch {
    errors += 1;
  }
  latenciesMs.push(performance.now() - dueMs);
}

async function closedLoop(untilMs: number): Promise<void> {
  const connection = async () => {
    while (performance.now() < untilMs) await send(performance.now());
  };
  await Promise.all(Array.from({ length: Number(values.connections) }, connection));
}

async function openLoop(untilMs: number, rate: number): Promise<void> {
  const waiting = new Set<Promise<void>>();
  let dueMs = performance.now();
  while (dueMs < untilMs && waiting.size < MAX_WAITING) {
    for (const nowMs = performance.now(); dueMs <= nowMs; dueMs += 1000 / rate) {
      const sent: Promise<void> = send(dueMs).finally(() => waiting.delete(sent));
      waiting.add(sent);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(waiting);
}

function percentile(share: number): number {
  return latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? 0;
}

const startMs = performance.now();
const untilMs = startMs + Number(values.seconds) * 1000;
const rate = Number(values.rate);
await (rate > 0 ? openLoop(untilMs, rate) : closedLoop(untilMs));
const seconds = (performance.now() - startMs) / 1000;
latenciesMs.sort((a, b) => a - b);
const p50 = percentile(0.5);
const p99 = percentile(0.99);
const result = { requests: latenciesMs.length, right, wrong, errors, seconds, p50, p99 };
console.log(`RESULT ${JSON.stringify(result)}`);
await pool.close();
