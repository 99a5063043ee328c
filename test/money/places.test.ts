import { expect, test } from 'vitest';
import type { Attempt, Verdict } from '../../src/gateway/money/attempt.ts';
import type { Effect, PostResult } from '../../src/gateway/money/engine/change.ts';
import type { NotSentReason } from '../../src/gateway/money/engine/operation.ts';
import { createRunner } from '../../src/gateway/money/runner.ts';
import { createVirtualTime } from './simulation/virtual-time.ts';
import { createMemoryStore } from './support/memory-store.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';

// The real runner in virtual time, which shows to the millisecond who waits and how long.

const DEADLINE_MS = 15_000;
/** The places that one merchant alone may have. */
const OWN = 32;

const ABSENT: Effect = { kind: 'TRAIL', now: TRAIL_SNAPSHOT, tooLarge: null };
const APPLIED: PostResult = { kind: 'APPLIED' };
const LIMITED: NotSentReason = { code: 'NOT_SENT', message: 'Too many requests.' };
const RELEASED: PostResult = {
  kind: 'RESPONDED',
  response: { kind: 'RELEASED', reason: LIMITED },
};
const NO_SLOT = {
  kind: 'NOT_SENT',
  reason: { code: 'NOT_SENT', message: expect.stringContaining('operations of this merchant') },
};

function setUp() {
  const time = createVirtualTime();
  const store = createMemoryStore(time.now, 30_000);
  const settings = { guardedRepost: true, postMs: 10_000 };
  const runner = createRunner({ store, clock: time, settings, report: () => {} });

  /** When each POST began. */
  const posts: number[] = [];
  /** Captures for a merchant; the POST takes some time. Returns when it ended, and how. */
  async function capture(
    merchantId: string,
    postMs: number,
    { intent = newCapture(), result = APPLIED, ...changes }: Capture = {},
  ): Promise<{ readonly verdict: Verdict<never>; readonly at: number }> {
    const attempt: Attempt<never> = {
      intent: { ...intent, merchantId },
      invalid: undefined,
      takeSnapshot: async () => ({ snapshot: TRAIL_SNAPSHOT }),
      post: async () => {
        posts.push(time.now());
        await time.sleep(postMs);
        return result;
      },
      findEffect: async () => ABSENT,
      ...changes,
    };
    const verdict = await runner.run(attempt, time.now() + DEADLINE_MS);
    return { verdict, at: time.now() };
  }
  const captureMany = (count: number, merchantId: string, postMs: number) =>
    Promise.all(Array.from({ length: count }, () => capture(merchantId, postMs)));

  return { time, store, posts, capture, captureMany };
}

interface Capture extends Partial<Omit<Attempt<never>, 'post'>> {
  readonly result?: PostResult;
}

test('while 40 POSTs of one merchant hang, the capture of another one does not wait', async () => {
  const { time, posts, capture, captureMany } = setUp();
  const hanging = captureMany(40, 'slow', 10_000);
  const other = capture('other', 20);
  await time.run();
  expect((await other).verdict).toMatchObject({ kind: 'OPERATION', replayed: false });
  expect((await other).at).toBe(20);
  const all = await hanging;
  expect(all.map(({ verdict }) => verdict.kind)).toEqual(Array(40).fill('OPERATION'));
  const waited = 40 - OWN;
  expect(posts).toEqual([...Array(OWN + 1).fill(0), ...Array(waited).fill(10_000)]);
  expect(all.map(({ at }) => at)).toEqual([
    ...Array(OWN).fill(10_000),
    // These still wait at their deadline.
    ...Array(waited).fill(DEADLINE_MS),
  ]);
});

test('a capture that gets no place until two seconds before its deadline is not sent or stored', async () => {
  const { time, store, posts, capture, captureMany } = setUp();
  const hanging = captureMany(OWN, 'slow', 14_000);
  const intent = newCapture();
  const late = capture('slow', 0, { intent });
  await time.run();
  expect(await late).toEqual({ verdict: NO_SLOT, at: DEADLINE_MS - 2_000 });
  expect(posts).toHaveLength(OWN);
  expect(await store.find('slow', intent.key)).toBeUndefined();
  await hanging;
});

test('an operation with an unknown outcome gives its place back before it is read again', async () => {
  const { time, posts, capture } = setUp();
  const unknown = Array.from({ length: OWN }, () =>
    capture('slow', 1_000, { result: { kind: 'AMBIGUOUS' } }),
  );
  const next = capture('slow', 0);
  await time.run();
  expect(posts.at(-1)).toBe(1_000);
  expect((await next).at).toBe(1_000);
  for (const { at } of await Promise.all(unknown)) expect(at).toBe(7_200);
});

/** An operation of which every POST may be repeated under the guard. */
const fullCapture = () => ({ ...newCapture(), amount: TRAIL_SNAPSHOT.amount });

test.each<[string, PostResult, object]>([
  ['unknown', { kind: 'AMBIGUOUS' }, { kind: 'OPERATION', operation: { state: 'UNKNOWN' } }],
  ['released', RELEASED, NO_SLOT],
])(
  'a repeated %s operation that gets no place is read, and not sent',
  async (_, result, expected) => {
    const { time, posts, capture, captureMany } = setUp();
    const intent = fullCapture();
    const first = capture('slow', 0, { intent, result });
    await time.run();
    await first;
    const hanging = captureMany(OWN, 'slow', 14_000);
    const before = time.now();
    const reads: number[] = [];
    const findEffect = async () => {
      reads.push(time.now() - before);
      return ABSENT;
    };
    const repeated = capture('slow', 0, { intent, findEffect });
    await time.run();
    expect((await repeated).verdict).toMatchObject(expected);
    expect((await repeated).at).toBe(before + DEADLINE_MS - 2_000);
    expect(reads).toEqual([0, DEADLINE_MS - 2_000]);
    expect(posts).toHaveLength(1 + OWN);
    await hanging;
  },
);

test.each<[string, PostResult]>([
  ['unknown', { kind: 'AMBIGUOUS' }],
  ['released', RELEASED],
])(
  'a repeated %s operation that had to wait for a place is read again before it is sent',
  async (_, result) => {
    const { time, posts, capture, captureMany } = setUp();
    const intent = fullCapture();
    const first = capture('slow', 0, { intent, result });
    await time.run();
    await first;
    const hanging = captureMany(OWN, 'slow', 5_000);
    const before = time.now();
    const reads: number[] = [];
    const findEffect = async () => {
      reads.push(time.now() - before);
      return ABSENT;
    };
    const repeated = capture('slow', 0, { intent, findEffect });
    await time.run();
    expect((await repeated).verdict).toMatchObject({ operation: { state: 'SUCCEEDED' } });
    expect(reads).toEqual([0, 5_000]);
    expect(posts.at(-1)).toBe(before + 5_000);
    await hanging;
  },
);

test('an operation that cannot be claimed or whose snapshot fails gives its place back', async () => {
  const { time, posts, capture, captureMany } = setUp();
  const intent = newCapture();
  const busy = Array.from({ length: 2 * OWN }, () =>
    capture('slow', 3_000, { intent: { ...newCapture(), lockKey: intent.lockKey } }),
  );
  const unreadable = Array.from({ length: 2 * OWN }, () =>
    capture('slow', 0, { takeSnapshot: () => Promise.reject(new Error('unreadable')) }),
  );
  await time.run();
  await Promise.all([...busy, ...unreadable]);
  posts.length = 0;
  const hanging = captureMany(OWN, 'slow', 10_000);
  await time.run();
  await hanging;
  expect(new Set(posts).size).toBe(1);
});
