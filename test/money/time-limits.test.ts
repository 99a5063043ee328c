import { expect, test } from 'vitest';
import type { Attempt } from '../../src/gateway/money/attempt.ts';
import type { Effect } from '../../src/gateway/money/engine/change.ts';
import { createRunner } from '../../src/gateway/money/runner.ts';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { createVirtualTime } from './simulation/virtual-time.ts';
import { createMemoryStore } from './support/memory-store.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';

// The real runner in virtual time, which shows its limits to the millisecond.

const LEASE_MS = 30_000;
const DEADLINE_MS = 15_000;
const never = () => new Promise<never>(() => {});

const ABSENT: Effect = { kind: 'TRAIL', now: TRAIL_SNAPSHOT, tooLarge: null };

function setUp(
  changes: Partial<OperationStore> = {},
  report: (message: string) => void = () => {},
) {
  const time = createVirtualTime();
  const store = { ...createMemoryStore(time.now, LEASE_MS), ...changes };
  const settings = { guardedRepost: true, postMs: 10_000 };
  const createTestRunner = () => createRunner({ store, clock: time, settings, report });
  return { time, store, runner: createTestRunner(), otherRunner: createTestRunner() };
}

/** An attempt to capture whose POST gets no answer, and whose effect is never shown. */
function newAttempt(changes: Partial<Attempt<never>> = {}): Attempt<never> {
  return {
    intent: newCapture(),
    invalid: undefined,
    takeSnapshot: async () => ({ snapshot: TRAIL_SNAPSHOT }),
    post: async () => ({ kind: 'AMBIGUOUS' }),
    findEffect: async () => ABSENT,
    ...changes,
  };
}

test.each([
  [DEADLINE_MS, [0, 200, 1_200, 6_200]],
  [6_000, [0, 200, 1_200]],
])(
  'with a deadline of %i ms, an unknown outcome is read after %j ms',
  async (deadline, expected) => {
    const { time, runner } = setUp();
    const reads: number[] = [];
    const attempt = newAttempt({
      findEffect: async () => {
        reads.push(time.now());
        return ABSENT;
      },
    });
    const running = runner.run(attempt, deadline);
    await time.run();
    expect(await running).toMatchObject({ kind: 'OPERATION', operation: { state: 'UNKNOWN' } });
    expect(reads).toEqual(expected);
  },
);

test.each<keyof OperationStore>(['claim', 'startSending'])(
  'a store whose `%s` does not answer is unavailable after two seconds, and nothing is sent',
  async (method) => {
    const { time, runner } = setUp({ [method]: never });
    let posts = 0;
    const attempt = newAttempt({
      post: async () => {
        posts++;
        return { kind: 'APPLIED' };
      },
    });
    const ended = runner.run(attempt, DEADLINE_MS).then(({ kind }) => ({ kind, at: time.now() }));
    await time.run();
    expect(await ended).toEqual({ kind: 'STORE_UNAVAILABLE', at: 2_000 });
    expect(posts).toBe(0);
  },
);

test('a capture that follows an equal one is not sent if the check ends after the deadline', async () => {
  const started: boolean[] = [];
  const { time, runner, store } = setUp({
    startSending: async (_operation, _snapshot, ifFirst) => {
      started.push(ifFirst);
      return undefined;
    },
    listSucceeded: async () => {
      await time.sleep(200);
      return [];
    },
  });
  const attempt = newAttempt({
    takeSnapshot: async () => {
      await time.sleep(DEADLINE_MS - 100);
      return { snapshot: TRAIL_SNAPSHOT };
    },
  });
  const running = runner.run(attempt, DEADLINE_MS);
  await time.run();
  expect(await running).toMatchObject({ kind: 'OPERATION', operation: { state: 'PREPARED' } });
  expect(started).toEqual([true]);
  expect(await store.find(attempt.intent.merchantId, attempt.intent.key)).toBeUndefined();
});

test('after a claim without an answer, the store is read before the next one', async () => {
  const used: string[] = [];
  const { time, runner } = setUp({
    claim: () => {
      used.push('claim');
      return never();
    },
    find: () => {
      used.push('find');
      return never();
    },
  });
  for (const at of [2_000, 4_000]) {
    const ended = runner.run(newAttempt(), at + DEADLINE_MS);
    await time.run();
    expect(await ended).toEqual({ kind: 'STORE_UNAVAILABLE' });
    expect(time.now()).toBe(at);
  }
  expect(used).toEqual(['claim', 'find']);
});

test('a caller waits two seconds for the same key, and the sender until its deadline', async () => {
  const { time, runner, otherRunner } = setUp();
  const attempt = newAttempt({ post: never });
  const timed = async (running: ReturnType<typeof runner.run>) => {
    const verdict = await running;
    return { verdict, at: time.now() };
  };
  const sender = timed(runner.run(attempt, DEADLINE_MS));
  const callers = [runner, otherRunner].map((each) => timed(each.run(attempt, DEADLINE_MS)));
  await time.run();
  for (const caller of await Promise.all(callers)) {
    expect(caller).toMatchObject({ at: 2_000, verdict: { kind: 'OPERATION', replayed: true } });
  }
  expect(await sender).toMatchObject({
    at: DEADLINE_MS,
    verdict: { kind: 'OPERATION', replayed: false },
  });
});

test('a snapshot for which no time is left is not called out of date', async () => {
  const reports: string[] = [];
  const { time, runner } = setUp({}, (message) => reports.push(message));
  const reason = { code: 'NOT_SENT', message: 'not now' } as const;
  const response = { kind: 'RELEASED', reason } as const;
  let posts = 0;
  const attempt = newAttempt({
    post: async () => {
      posts++;
      return { kind: 'RESPONDED', response };
    },
  });
  const released = runner.run(attempt, DEADLINE_MS);
  await time.run();
  expect(await released).toEqual({ kind: 'NOT_SENT', reason });
  const slow = newAttempt({
    ...attempt,
    findEffect: async () => {
      await time.sleep(3_000);
      return ABSENT;
    },
  });
  const repeated = runner.run(slow, time.now() + 2_500);
  await time.run();
  await repeated;
  expect(posts).toBe(1);
  expect(reports).toEqual([]);
});

test('an operation begins with two seconds left, and not with less', async () => {
  const { time, runner } = setUp();
  const applied = newAttempt({ post: async () => ({ kind: 'APPLIED' }) });
  const tooLate = runner.run(applied, 1_999);
  await time.run();
  expect(await tooLate).toEqual({ kind: 'NOT_SENT' });
  const inTime = runner.run(applied, time.now() + 2_000);
  await time.run();
  expect(await inTime).toMatchObject({ kind: 'OPERATION', operation: { state: 'SUCCEEDED' } });
});
