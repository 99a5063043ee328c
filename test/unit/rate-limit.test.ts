import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Identity } from '../../src/gateway/access/identity.ts';
import { createRateLimit } from '../../src/gateway/access/rate-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A caller with a key; it is valid unless it was invented. */
function caller(key: string): Identity {
  const digest = createHash('sha256').update(key).digest('base64');
  return {
    credential: { authorization: '', digest },
    restrict: (service) => service,
    hasClaims: false,
    expiresAt: undefined,
  };
}

function createLimit(perMinute: number, valid: readonly string[] = ['a', 'b']) {
  const proven = new Set(valid.map((key) => caller(key).credential?.digest));
  return createRateLimit({
    perMinute,
    isProven: (owner) => proven.has(owner),
    report: (message) => {
      throw new Error(message);
    },
  });
}

test('in no minute does a caller use more than twice its points, and others do not matter', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          key: fc.constantFrom('a', 'b', 'invented-1', 'invented-2'),
          points: fc.integer({ min: 0, max: 120 }),
          ms: fc.nat(5_000),
        }),
        { maxLength: 100 },
      ),
      async (steps) => {
        const limit = createLimit(100);
        const used: { key: string; points: number; time: number }[] = [];
        for (const { key, points, ms } of steps) {
          vi.advanceTimersByTime(ms);
          const time = Date.now();
          const refusal = limit.refusal(caller(key));
          const taken = await limit.take(caller(key), points);
          const own = used.filter((each) => each.key === key);
          if (taken.isGranted) {
            expect(refusal).toBeUndefined();
            used.push({ key, points: Math.min(points, 100), time });
            const recent = used.filter((each) => each.key === key && each.time > time - 60_000);
            expect(recent.reduce((sum, each) => sum + each.points, 0)).toBeLessThanOrEqual(200);
          } else {
            expect(taken.resetMs).toBeGreaterThan(0);
            expect(taken.resetMs).toBeLessThanOrEqual(60_000);
            expect(limit.refusal(caller(key))).toEqual(taken);
            expect(own.length).toBeGreaterThan(0);
          }
        }
      },
    ),
    { numRuns: 100 },
  ));

test('a refused caller is refused until the time that it gets, and has all points again then', async () => {
  const limit = createLimit(100);
  for (const key of ['a', 'invented']) {
    expect(await limit.take(caller(key), 90)).toMatchObject({ isGranted: true, left: 10 });
    const { isGranted, resetMs } = await limit.take(caller(key), 50);
    expect(isGranted).toBe(false);
    vi.advanceTimersByTime(resetMs - 1);
    expect(limit.refusal(caller(key))).toEqual({ isGranted: false, left: 0, resetMs: 1 });
    expect(await limit.take(caller(key), 1)).toMatchObject({ isGranted: false });
    vi.advanceTimersByTime(1);
    expect(limit.refusal(caller(key))).toBeUndefined();
    // More than a minute has is possible when nothing else was used.
    expect(await limit.take(caller(key), 1_000)).toMatchObject({ isGranted: true, left: 0 });
  }
});

test('all invented keys together have a fixed number of accounts, and a caller with a valid key has its own', async () => {
  const limit = createLimit(2);
  expect(await limit.take(caller('a'), 2)).toMatchObject({ isGranted: true });
  expect(await limit.take(caller('a'), 1)).toMatchObject({ isGranted: false });
  expect(await limit.take(caller('b'), 1)).toMatchObject({ left: 1 });
  let granted = 0;
  for (let count = 0; count < 60_000; count++) {
    if ((await limit.take(caller(`invented-${count}`), 2)).isGranted) granted++;
  }
  expect(granted).toBeLessThanOrEqual(16_384);
  // Few callers share an account with another one.
  expect(granted).toBeGreaterThan(15_000);
  // One of the library for each, and those of `a` and `b`.
  expect(vi.getTimerCount()).toBeLessThanOrEqual(16_386);
  expect(limit.refusal(caller('a'))).toBeDefined();
  expect(await limit.take(caller('b'), 1)).toMatchObject({ isGranted: true, left: 0 });
});

test('so many valid keys that not all are remembered need bounded memory', async () => {
  const keys = Array.from({ length: 12_000 }, (_, at) => `valid-${at}`);
  const limit = createLimit(10, keys);
  for (const key of keys) await limit.take(caller(key), 1);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(10_000);
});

test('what a caller uses before its key is known to be valid counts', async () => {
  const valid = new Set<string>();
  const limit = createRateLimit({
    perMinute: 100,
    isProven: (owner) => valid.has(owner),
    report: () => {},
  });
  expect(await limit.take(caller('a'), 60)).toMatchObject({ left: 40 });
  valid.add(caller('a').credential?.digest ?? '');
  expect(await limit.take(caller('a'), 30)).toMatchObject({ isGranted: true, left: 10 });
  expect(await limit.take(caller('a'), 11)).toMatchObject({ isGranted: false });
});
