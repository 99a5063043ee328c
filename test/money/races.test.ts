import { expect, test } from 'vitest';
import type { Attempt } from '../../src/gateway/money/attempt.ts';
import { canNeverApply, twoCannotBothApply } from '../../src/gateway/money/engine/guard.ts';
import type {
  MovementKind,
  Operation,
  ServiceResponse,
  SnapshotEntry,
} from '../../src/gateway/money/engine/operation.ts';
import { createRunner } from '../../src/gateway/money/runner.ts';
import { createVirtualTime } from './simulation/virtual-time.ts';
import { createMemoryStore } from './support/memory-store.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { storesWithDatabase } from './support/open-stores.ts';

// Rare orders of events that the simulation has found.

const DEADLINE_MS = 15_000;
const RELEASED: ServiceResponse = {
  kind: 'RELEASED',
  reason: { code: 'NOT_SENT', message: 'too many requests' },
};
const CONFLICT: ServiceResponse = {
  kind: 'REJECTED',
  rejection: { code: 'CONFLICT', message: 'conflict' },
  conflict: true,
};

function existing<T>(operation: T | undefined): T {
  if (operation === undefined) throw new Error('The store returned no operation.');
  return operation;
}

test('the entry of a later success does not prove an earlier operation that was not processed', async () => {
  const time = createVirtualTime();
  const store = createMemoryStore(time.now, 30_000);
  const settings = { guardedRepost: true, postMs: 10_000 };
  const runner = createRunner({ store, clock: time, settings, report: () => {} });
  const trail: SnapshotEntry[] = [];
  const show = () => {
    const captured = 60 * trail.length;
    const counters = { pendingAmount: 100 - captured, capturedAmount: captured };
    return { ...TRAIL_SNAPSHOT, ...counters, trail: [...trail] };
  };
  const intent = { ...newCapture(), amount: 60 };
  const attempt: Attempt<string> = {
    intent,
    invalid: undefined,
    takeSnapshot: async () => (trail.length > 0 ? { invalid: 'too large' } : { snapshot: show() }),
    post: async () => ({ kind: 'RESPONDED', response: RELEASED }),
    findEffect: async () => ({ kind: 'TRAIL', now: show(), tooLarge: null }),
  };
  const other: Attempt<string> = {
    ...attempt,
    intent: { ...intent, key: `other ${intent.key}` },
    post: async () => {
      trail.push({ line: 'line', properties: 'entry', kind: 'CAPTURE', amount: 60 });
      return { kind: 'APPLIED', entries: trail };
    },
  };
  const run = async (one: Attempt<string>) => {
    const verdict = runner.run(one, time.now() + DEADLINE_MS);
    await time.run();
    return verdict;
  };
  expect(await run(attempt)).toMatchObject({ kind: 'NOT_SENT' });
  expect(await run(other)).toMatchObject({ operation: { state: 'SUCCEEDED' } });
  expect(await run(attempt)).toMatchObject({ kind: 'INVALID_REQUEST' });
});

test('a response that shows only entries of other operations does not prove this one', async () => {
  const time = createVirtualTime();
  const lines = ['line', 'other line'];
  const entries = lines.map(
    (line): SnapshotEntry => ({ line, properties: line, kind: 'CAPTURE', amount: 40 }),
  );
  const claimed = lines.map((line) => ({ line, properties: null }));
  const store = {
    ...createMemoryStore(time.now, 30_000),
    knownEntries: async () => ({ claimed, seen: [] }),
  };
  const settings = { guardedRepost: true, postMs: 10_000 };
  const runner = createRunner({ store, clock: time, settings, report: () => {} });
  const verdict = runner.run<never>(
    {
      intent: newCapture(),
      invalid: undefined,
      takeSnapshot: async () => ({ snapshot: TRAIL_SNAPSHOT }),
      post: async () => ({ kind: 'APPLIED', entries }),
      findEffect: async () => ({ kind: 'TRAIL', now: TRAIL_SNAPSHOT, tooLarge: null }),
    },
    DEADLINE_MS,
  );
  await time.run();
  expect(await verdict).toMatchObject({
    operation: { state: 'UNKNOWN', response: { kind: 'ACCEPTED' } },
  });
});

test('a used-up transaction proves nothing if a capture that is not shown yet explains its counters, too', () => {
  const entry = (kind: MovementKind, amount: number): SnapshotEntry => ({
    line: null,
    properties: kind,
    kind,
    amount,
  });
  const shown = {
    amount: 100,
    pendingAmount: 0,
    capturedAmount: 60,
    voidedAmount: 40,
    trail: [entry('CAPTURE', 60), entry('VOID', 40)],
  };
  const refund = (amount: number) => ({
    ...shown,
    refundedAmount: amount,
    trail: [...shown.trail, entry('REFUND', amount)],
  });
  // 60 of 100 captured and 40 refunded. Either 40 were voided, or the void counts for nothing
  // and another 40 were captured.
  expect(canNeverApply('CAPTURE', 40, refund(40))).toBe(false);
  expect(canNeverApply('CAPTURE', 40, refund(39))).toBe(true);
  expect(canNeverApply('CAPTURE', 40, { ...refund(40), capturedAmount: 20 })).toBe(true);
});

test('a void allows no second refund if a capture that is not shown yet explains `pendingAmount`, too', () => {
  const trail: SnapshotEntry[] = [
    { line: null, properties: 'capture', kind: 'CAPTURE', amount: 60 },
    { line: null, properties: 'void', kind: 'VOID', amount: 40 },
  ];
  const counters = { amount: 100, pendingAmount: 0, refundedAmount: 0, voidedAmount: 40 };
  const complete = { ...counters, capturedAmount: 60, trail };
  expect(twoCannotBothApply('REFUND', 40, complete)).toBe(true);
  expect(twoCannotBothApply('REFUND', 40, { ...complete, capturedAmount: 100 })).toBe(false);
});

test.each(storesWithDatabase)('in %s', async (_name, open) => {
  const { store, database } = await open();
  try {
    const sending = async () => {
      const { operation } = await store.claim(newCapture());
      return existing(await store.startSending(operation, TRAIL_SNAPSHOT, false));
    };
    const find = async ({ merchantId, key }: Operation) => store.find(merchantId, key);

    // A response is not recorded again after a read has given the second POST back.
    const unknown = existing(
      await store.record(await sending(), { to: 'UNKNOWN', response: null }),
    );
    const second = existing(await store.repost(unknown, 2));
    await store.record(second, { to: 'UNKNOWN', response: RELEASED });
    await store.record(second, { to: 'UNKNOWN', response: null, posts: 1 });
    await store.record(second, { to: 'UNKNOWN', response: RELEASED });
    expect(await find(second)).toMatchObject({ state: 'UNKNOWN', response: null, posts: 1 });

    // A lease that a clock ahead of its time has set does not last until that time.
    const leased = await sending();
    await database.query(
      `UPDATE money_operation SET lease_until = now() + interval '36 days' WHERE id = $1`,
      [leased.id],
    );
    expect(await find(leased)).toMatchObject({ state: 'UNKNOWN', epoch: leased.epoch + 1 });

    // The time since a response is what sweeps have counted, whatever the database's clock shows.
    const conflict = await sending();
    await store.record(conflict, { to: 'UNKNOWN', response: CONFLICT });
    const sweep = async (ownMs: number) => {
      await database.query(`UPDATE store_clock SET swept_at = swept_at - interval '1 hour'`);
      await store.sweep({ retentionDays: 35, ownMs });
    };
    await sweep(15_000);
    expect(await find(conflict)).toMatchObject({ sinceResponseMs: 0 });
    await sweep(4_000);
    expect(await find(conflict)).toMatchObject({ sinceResponseMs: 4_000 });
  } finally {
    await store.close();
  }
});
