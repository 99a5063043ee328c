import type { Question } from './operations.ts';
import { capturableId, merchantId, type Sender } from './services/records.ts';

/** One request of a scenario. */
export interface Request extends Question {
  readonly sender: Sender;
}

/** A workload. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** The requests, which are sent in turn, again and again. */
  readonly requests: readonly Request[];
  /** Calls to the upstream for one request of a contestant that coalesces nothing. */
  readonly calls: number;
  /** How late the upstream answers. */
  readonly latencyMs?: number;
  /** Whether only the built-in upstream has what it needs. */
  readonly needsBuiltIn?: boolean;
  readonly connections?: number;
  /** Whether only `--all` and its name select it. */
  readonly isExtra?: boolean;
}

/** Stands for a number that is different in every request. */
export const COUNTER = '@@@@@@@@@@@@';
export const COUNTER_DIGITS = COUNTER.length;

/** How many different merchants distinct requests ask for. */
export const KEYS = 2_000;
const KEYS_OF_LINES = 200;
const DOCUMENTS = 10_000;
const SHARED_KEYS = 8;
const CAPTURE_EVERY = 10;
const CALLS_OF_CAPTURE = 4;
const MORE_CONNECTIONS = [64, 128];

/** A list of a length. */
export function range<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** A request for a merchant with its newest transactions. */
export function merchantRequest(index: number, first: number, sender: Sender = 'a') {
  const ask = { kind: 'merchant', id: merchantId(index), first, depth: 1 } as const;
  return { ask, sender };
}

const captureRequest: Request = {
  ask: {
    kind: 'capture',
    id: capturableId(COUNTER),
    amount: 1_000,
    currency: 'EUR',
    key: `bench-${COUNTER}`,
  },
  sender: 'a',
};

/** The workloads, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'hot',
    title: 'hot key, 10 items',
    requests: [merchantRequest(0, 10)],
    calls: 2,
  },
  ...MORE_CONNECTIONS.map((connections) => ({
    name: `hot-${connections}`,
    title: `hot key, 10 items, ${connections} connections`,
    requests: [merchantRequest(0, 10)],
    calls: 2,
    connections,
    isExtra: true,
  })),
  {
    name: 'distinct-10',
    title: 'distinct keys, 10 items',
    requests: range(KEYS, (index) => merchantRequest(index, 10)),
    calls: 2,
  },
  {
    name: 'distinct-50',
    title: 'distinct keys, 50 items',
    requests: range(KEYS, (index) => merchantRequest(index, 50)),
    calls: 2,
  },
  {
    name: 'n+1',
    title: 'N+1 of 50 lines',
    requests: range(KEYS_OF_LINES, (index) => ({
      ask: { kind: 'lines', id: merchantId(index), first: 50 },
      sender: 'a',
    })),
    calls: 61,
  },
  {
    name: 'mutations',
    title: 'mutation mix: 10 % captures',
    requests: range(KEYS, (index) =>
      index % CAPTURE_EVERY === 0 ? captureRequest : merchantRequest(index, 10),
    ),
    calls: (2 * (CAPTURE_EVERY - 1) + CALLS_OF_CAPTURE) / CAPTURE_EVERY,
    needsBuiltIn: true,
  },
  {
    name: 'latency',
    title: 'upstream latency 10 ms',
    requests: range(KEYS, (index) => merchantRequest(index, 10)),
    calls: 2,
    latencyMs: 10,
  },
  {
    name: 'documents',
    title: '10,000 distinct documents',
    requests: range(DOCUMENTS, (document) => ({
      ...merchantRequest(document % KEYS, 10),
      document,
    })),
    calls: 2,
  },
  {
    name: 'credentials',
    title: 'two credentials on 8 keys',
    requests: range(2 * SHARED_KEYS, (index) =>
      merchantRequest(Math.floor(index / 2), 10, index % 2 === 0 ? 'a' : 'b'),
    ),
    calls: 2,
  },
];
