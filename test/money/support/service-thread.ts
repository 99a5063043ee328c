import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { ServiceThreadData } from './start-service-thread.ts';

// Runs in a thread of its own; see `start-service-thread.ts`.

// The starter of this thread passes exactly this.
const { holds, applies, counts } = workerData as ServiceThreadData;
const [ARRIVED, ANSWERED] = [0, 1];
const counters = new Int32Array(counts);
const captured = new Set<string>();
/** The POSTs that wait; undefined while none has to. */
let held: (() => void)[] | undefined = [];

function count(index: number): void {
  Atomics.add(counters, index, 1);
  Atomics.notify(counters, index);
}

function release(): void {
  for (const answer of held ?? []) answer();
  held = undefined;
}

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  const id = request.url?.split('/')[2] ?? '';
  if (request.method === 'GET') return showTransaction(id, response);
  count(ARRIVED);
  response.on('finish', () => count(ANSWERED));
  const answer = () => {
    if (!applies) return response.writeHead(400).end('[{"field":"amount","message":"no"}]');
    captured.add(id);
    return showTransaction(id, response.writeHead(201));
  };
  if (held === undefined || merchantOf(id) !== 'held') return answer();
  if (held.push(answer) === holds) release();
});
parentPort?.on('message', (message: 'hold' | 'release') => {
  if (message === 'release') release();
  else held ??= [];
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  parentPort?.postMessage((server.address() as AddressInfo).port);
});

function merchantOf(transactionId: string): string | undefined {
  return transactionId.split('-')[0];
}

function showTransaction(id: string, response: ServerResponse): void {
  const amount = captured.has(id) ? 300 : 0;
  const capture = { capture: true, amount, lineId: `line-${id}`, created: '2026-01-01T00:00:00Z' };
  const transaction = {
    id,
    merchantId: merchantOf(id),
    currency: 'EUR',
    amount: 1000,
    pendingAmount: 1000 - amount,
    capturedAmount: amount,
    refundedAmount: 0,
    voidedAmount: 0,
    successful: true,
    trail: captured.has(id) ? [capture] : [],
  };
  response.end(JSON.stringify({ transaction }));
}
