import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/gateway/protect/rate-limit.ts';

test('in no minute does an owner use more than twice its points, and others do not matter', () => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b'),
    points: fc.integer({ min: 1, max: 100 }),
    ms: fc.nat(5_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let time = 0;
      const limit = createRateLimit(100, () => time);
      const used: { owner: string; points: number; time: number }[] = [];
      for (const { owner, points, ms } of steps) {
        time += ms;
        const late = limit.take(owner, points);
        const own = used.filter((each) => each.owner === owner);
        if (late.isGranted) {
          used.push({ owner, points, time });
          const recent = own.filter((each) => each.time > time - 60_000);
          // All that was saved, and what was earned since.
          expect(points + recent.reduce((sum, each) => sum + each.points, 0)).toBeLessThanOrEqual(
            200,
          );
        } else {
          expect(late.retryAfterMs).toBeGreaterThan(0);
          expect(late.retryAfterMs).toBeLessThanOrEqual(60_000);
          expect(own.length).toBeGreaterThan(0);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('after the time that it returns, the same request is possible', () => {
  let time = 0;
  const limit = createRateLimit(100, () => time);
  expect(limit.take('a', 90)).toEqual({ isGranted: true, left: 10, retryAfterMs: 0 });
  const { retryAfterMs } = limit.take('a', 50);
  time += retryAfterMs - 1;
  expect(limit.take('a', 50).isGranted).toBe(false);
  time += 1;
  expect(limit.take('a', 50).isGranted).toBe(true);
  time += 60_000;
  // More than a minute has is possible when nothing else was used.
  expect(limit.take('a', 1_000).isGranted).toBe(true);
});

test('invented owners do not use up what a new owner has', () => {
  let time = 0;
  const limit = createRateLimit(100, () => time);
  for (let count = 0; count < 20_000; count++) limit.take(`free ${count}`, 0);
  expect(limit.take('honest', 1)).toMatchObject({ isGranted: true, left: 99 });
  for (let count = 0; count < 10_050; count++) limit.take(`invented ${count}`, 1);
  // There are too many owners, so it shares an account with the last ones.
  expect(limit.take('late', 1)).toMatchObject({ left: 48 });
  time += 600;
  expect(limit.take('later', 1)).toMatchObject({ isGranted: true, left: 99 });
});
