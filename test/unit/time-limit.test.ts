import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTimeLimit } from '../../src/gateway/upstream/time-limit.ts';

const LIMIT_MS = 1_000;
/** How late a timer fires at most without showing that the event loop was blocked. */
const LATE_MS = 50;
const EXTENSION_MS = 100;

let now: number;
/** What is due: timers that have been started, and what follows the next read of sockets. */
let timers: { readonly run: () => void; readonly ms: number; isCleared: boolean; isRef: boolean }[];
let afterRead: (() => void)[];

beforeEach(() => {
  now = 0;
  timers = [];
  afterRead = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    const timer = { run, ms, isCleared: false, isRef: true, unref: () => unref(timer) };
    timers.push(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: { isCleared: boolean }) => {
    timer.isCleared = true;
  });
  vi.stubGlobal('setImmediate', (run: () => void) => {
    const immediate = { run, isRef: true, unref: () => unref(immediate) };
    afterRead.push(() => immediate.run());
    return immediate;
  });
  vi.stubGlobal('clearImmediate', (immediate: { run: () => void }) => {
    immediate.run = () => {};
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function unref<T extends { isRef: boolean }>(handle: T): T {
  handle.isRef = false;
  return handle;
}

/** Lets the last timer fire, late by a number of milliseconds. */
function fire(lateMs: number): void {
  const timer = timers.at(-1);
  if (timer === undefined || timer.isCleared) throw new Error('no timer');
  now += timer.ms + lateMs;
  timer.run();
}

/** Lets the event loop read its sockets. */
function readSockets(): void {
  for (const run of afterRead.splice(0)) run();
}

/** Starts a limit whose end is counted. */
function start() {
  const onPassed = vi.fn();
  return { onPassed, clear: startTimeLimit(LIMIT_MS, onPassed) };
}

test.each([0, LATE_MS])(
  'a timer that is %i ms late ends the call after the sockets are read',
  (lateMs) => {
    const { onPassed } = start();
    fire(lateMs);
    expect(onPassed).not.toHaveBeenCalled();
    readSockets();
    expect(onPassed).toHaveBeenCalledOnce();
    expect(timers.map(({ ms }) => ms)).toEqual([LIMIT_MS]);
  },
);

test('a timer that is later extends the limit, three times', () => {
  const { onPassed } = start();
  for (let extension = 0; extension < 3; extension++) {
    fire(LATE_MS + 1);
    readSockets();
    expect(onPassed).not.toHaveBeenCalled();
  }
  expect(timers.map(({ ms }) => ms)).toEqual([LIMIT_MS, EXTENSION_MS, EXTENSION_MS, EXTENSION_MS]);
  fire(LATE_MS + 1);
  readSockets();
  expect(onPassed).toHaveBeenCalledOnce();
  expect(timers).toHaveLength(4);
});

test('an extension that ends in time ends the call', () => {
  const { onPassed } = start();
  fire(11_000);
  fire(0);
  readSockets();
  expect(onPassed).toHaveBeenCalledOnce();
});

test('a response that is read between the timer and the end of the call ends the limit', () => {
  const { onPassed, clear } = start();
  fire(0);
  clear();
  readSockets();
  expect(onPassed).not.toHaveBeenCalled();
});

test('a call that has ended leaves no timer, extended or not', () => {
  start().clear();
  expect(timers).toMatchObject([{ isCleared: true }]);
  const { clear } = start();
  fire(LATE_MS + 1);
  clear();
  expect(timers.at(-1)).toMatchObject({ ms: EXTENSION_MS, isCleared: true });
});

test('no timer keeps the process running', () => {
  start();
  fire(LATE_MS + 1);
  expect(timers).toMatchObject([{ isRef: false }, { isRef: false }]);
});
