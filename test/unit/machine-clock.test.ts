import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMachineClock } from '../../src/gateway/money/engine/clock.ts';

const LIMIT_MS = 2_000;

/** How long the event loop was blocked, in which no timer fired. */
let blockedMs: number;
beforeEach(() => {
  blockedMs = 0;
  vi.useFakeTimers();
  const { now } = performance;
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + blockedMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Starts a time limit and shows whether it has passed. */
function startLimit() {
  const limit = { isOver: false };
  const end = createMachineClock().startLimit(LIMIT_MS, () => {
    limit.isOver = true;
  });
  return Object.assign(limit, { end });
}

test('does not follow when the clock of the machine is set', () => {
  const { now } = createMachineClock();
  const before = now();
  vi.setSystemTime(before + 3_600_000);
  expect(now() - before).toBeLessThan(1_000);
});

test('a time limit passes after its time', async () => {
  const limit = startLimit();
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect(limit.isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(2);
  expect(limit.isOver).toBe(true);
});

test('time in which the event loop is blocked does not count, but for a tenth of a second', async () => {
  const limit = startLimit();
  await vi.advanceTimersByTimeAsync(1_000);
  blockedMs += 11_000;
  await vi.advanceTimersByTimeAsync(950);
  expect(limit.isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(52);
  expect(limit.isOver).toBe(true);
});

test('in an overloaded process a time limit leaves twenty turns of the event loop', async () => {
  const limit = startLimit();
  let turns = 0;
  while (!limit.isOver) {
    await vi.advanceTimersByTimeAsync(50);
    turns++;
    blockedMs += 500;
  }
  expect(turns).toBeGreaterThanOrEqual(20);
});

test('what has arrived is read before a limit passes', async () => {
  let isReadFirst = false;
  const read = () => {
    isReadFirst = !limit.isOver;
  };
  setTimeout(() => setImmediate(read), LIMIT_MS);
  const limit = startLimit();
  await vi.advanceTimersByTimeAsync(LIMIT_MS + 1);
  expect([isReadFirst, limit.isOver]).toEqual([true, true]);
});

test('nothing is left of a limit that was ended', async () => {
  const limit = startLimit();
  limit.end();
  limit.end();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(LIMIT_MS + 1);
  expect(limit.isOver).toBe(false);
});

test('nothing ticks when no limit is running', async () => {
  startLimit();
  expect(vi.getTimerCount()).toBe(2);
  await vi.advanceTimersByTimeAsync(LIMIT_MS + 1);
  expect(vi.getTimerCount()).toBe(0);
});
