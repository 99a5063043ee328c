import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/gateway/money/engine/change.ts';
import { createMachineClock } from '../../src/gateway/money/engine/clock.ts';
import { watchStore } from '../../src/gateway/money/store/watch-store.ts';
import {
  type CoalesceSettings,
  createEpochs,
  type Epochs,
} from '../../src/gateway/upstream/epochs.ts';
import type { Flights } from '../../src/gateway/upstream/flights.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { allOrders, type Step } from './support/read-write-orders.ts';

type Kind = Parameters<Epochs['createFlights']>[0];
const NEVER = Number.POSITIVE_INFINITY;

/** What one flight has read. */
interface Reading {
  /** Where in the order it began. */
  readonly begun: number;
  /** The writes that were applied when the service was read. */
  applied: ReadonlySet<number>;
  readonly end: () => void;
}

/** Who reads, and who writes. */
interface Owners {
  readonly reader: string;
  readonly writer: string;
}

function flightsOf(epochs: Epochs, kind: Kind): Flights<void> {
  const flights = epochs.createFlights<void>(kind);
  if (flights === undefined) throw new Error('Nothing is shared.');
  return flights;
}

/** Makes the steps of one order. Returns what is wrong with what the reads show. */
async function run(
  order: readonly Step[],
  epochs: Epochs,
  flights: Flights<void>,
  { reader, writer }: Owners,
): Promise<string[]> {
  const wrong: string[] = [];
  const readings = new Map<Promise<void>, Reading>();
  const ofRead: Reading[] = [];
  const own = new Set<number>();
  const applied = new Set<number>();

  function begin(at: number, index: number): void {
    const joined = flights.find(reader, 'key', NEVER);
    const known = joined && readings.get(joined);
    if (known !== undefined) {
      ofRead[index] = known;
      return;
    }
    let end = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const reading = { begun: at, applied: new Set<number>(), end };
    readings.set(work, reading);
    ofRead[index] = reading;
    own.add(index);
    void flights.begin(reader, 'key', NEVER, work);
  }

  for (const [at, { actor, index, what }] of order.entries()) {
    const reading = ofRead[index];
    if (actor === 'WRITE') {
      if (what === 'MIDDLE') applied.add(index);
      else epochs.raise(writer);
    } else if (what === 'BEGIN') begin(at, index);
    else if (what === 'MIDDLE' && reading && own.has(index)) reading.applied = new Set(applied);
    else if (what === 'END' && own.has(index)) {
      reading?.end();
      for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    }
  }

  const place = (actor: Step['actor'], index: number, what: Step['what']) =>
    order.findIndex((step) => step.actor === actor && step.index === index && step.what === what);
  for (const [index, reading] of ofRead.entries()) {
    const begun = place('READ', index, 'BEGIN');
    for (const write of applied) {
      for (const what of ['BEGIN', 'END'] as const) {
        const raised = place('WRITE', write, what);
        if (begun > raised && reading.begun < raised) wrong.push(`${index} joined before ${what}`);
      }
      const isEnded = begun > place('WRITE', write, 'END');
      if (isEnded && !reading.applied.has(write)) wrong.push(`${index} is without ${write}`);
    }
  }
  return wrong;
}

/** Runs every order until one is wrong. Returns how many were run, and how many are wrong. */
async function explore(
  kind: Kind,
  settings: CoalesceSettings = { mode: 'operation', epoch: 'credential' },
  owners: Owners = { reader: 'a', writer: 'a' },
  spoil: (epochs: Epochs) => Epochs = (epochs) => epochs,
) {
  const epochs = spoil(createEpochs(settings, NEVER));
  const flights = flightsOf(epochs, kind);
  let [orders, wrong] = [0, 0];
  for (const order of allOrders) {
    orders++;
    wrong = (await run(order, epochs, flights, owners)).length;
    expect(flights.size).toBe(0);
    if (wrong > 0) break;
  }
  return { orders, wrong };
}

describe('a read that begins after a write', () => {
  test.each<Kind>(['operation', 'upstream'])('never shows what was before it: %s', async (kind) => {
    const { orders, wrong } = await explore(kind);
    expect(orders).toBeGreaterThan(10_000);
    expect(wrong).toBe(0);
  });

  test('of another credential never does if an epoch is one of the process', async () => {
    const settings = { mode: 'operation', epoch: 'process' } as const;
    const { wrong } = await explore('operation', settings, { reader: 'a', writer: 'b' });
    expect(wrong).toBe(0);
  });
});

describe('it would', () => {
  let raised = 0;
  test.each<[string, (epochs: Epochs) => Epochs]>([
    ['without epochs', (epochs) => ({ ...epochs, raise: () => {} })],
    [
      'without one at the start',
      (epochs) => ({ ...epochs, raise: (of) => raised++ % 2 === 1 && epochs.raise(of) }),
    ],
    [
      'without one at the end',
      (epochs) => ({ ...epochs, raise: (of) => raised++ % 2 === 0 && epochs.raise(of) }),
    ],
  ])('%s', async (_what, spoil) => {
    expect((await explore('operation', undefined, undefined, spoil)).wrong).toBeGreaterThan(0);
  });
});

test('a change of a money operation is shown to everybody who reads after it was recorded', async () => {
  const epochs = createEpochs({ mode: 'operation', epoch: 'credential' });
  const flights = flightsOf(epochs, 'operation');
  const store = watchStore(createMemoryStore(Date.now, 1_000), createMachineClock(), {
    onRecord: epochs.raiseAll,
  });
  const changes: readonly Change[] = [
    { to: 'SUCCEEDED', evidence: 'ANSWERED' },
    { to: 'NOT_APPLIED', evidence: 'PROVEN' },
    { to: 'UNKNOWN' },
    { to: 'REMOVED' },
  ];
  for (const change of changes) {
    void flights.begin('any', 'key', NEVER, new Promise(() => {}));
    await store.record({ id: 'none', epoch: 1 }, change);
    expect(flights.find('any', 'key', NEVER), change.to).toBeUndefined();
  }
});
