import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BreakerSettings, createBreaker } from '../../src/gateway/upstream/breaker.ts';

const settings: BreakerSettings = {
  consecutive: 5,
  ratio: 0.5,
  minCalls: 20,
  windowMs: 10_000,
  openMs: 5_000,
};

/** A breaker whose time passes only when the test lets it. */
function open(changes: Partial<BreakerSettings> = {}) {
  let time = 0;
  const breaker = createBreaker({ ...settings, ...changes }, () => time);
  /** Makes a call that ends at once. False if it was not made. */
  function call(outcome: 'SUCCESS' | 'FAILURE' | 'ERROR' | 'NONE', isRead = true): boolean {
    const entered = breaker.enter(isRead);
    if (typeof entered !== 'function') return false;
    entered(outcome);
    return true;
  }
  function pass(ms: number): void {
    time += ms;
  }
  return { ...breaker, call, pass };
}

test('it opens after five failures in succession, and says when calls are possible again', () => {
  const { call, enter, pass } = open();
  for (let count = 0; count < 4; count++) expect(call('FAILURE')).toBe(true);
  call('SUCCESS');
  for (let count = 0; count < 5; count++) expect(call('FAILURE')).toBe(true);
  pass(1_000);
  expect(enter(true)).toEqual({ retryAfterMs: 4_000 });
});

test('then one read is made, and writes wait for its result', () => {
  const { call, enter, pass } = open();
  for (let count = 0; count < 5; count++) call('FAILURE');
  pass(5_000);
  expect(call('SUCCESS', false)).toBe(false);
  const probe = enter(true);
  expect(typeof probe).toBe('function');
  expect(typeof enter(true)).toBe('object');
  if (typeof probe === 'function') probe('FAILURE');
  expect(call('SUCCESS')).toBe(false);
  pass(5_000);
  expect(call('NONE')).toBe(true);
  expect(call('ERROR')).toBe(true);
  expect(call('SUCCESS')).toBe(false);
  pass(5_000);
  expect(call('SUCCESS')).toBe(true);
  expect(call('SUCCESS', false)).toBe(true);
});

test('it opens if half of the calls of ten seconds fail, errors included', () => {
  const { call, pass } = open();
  const cycle = ['ERROR', 'SUCCESS'] as const;
  for (let count = 0; count < 19; count++) expect(call(cycle[count % 2] ?? 'NONE')).toBe(true);
  expect(call('ERROR')).toBe(true);
  expect(call('SUCCESS')).toBe(false);

  const slow = open();
  for (let count = 0; count < 60; count++) {
    slow.pass(1_000);
    expect(slow.call(cycle[count % 2] ?? 'NONE')).toBe(true);
  }
  pass(5_000);
  expect(call('SUCCESS')).toBe(true);
});

test('results that show nothing, and those of calls that began before it opened, do not count', () => {
  const { call, enter } = open();
  for (let count = 0; count < 100; count++) expect(call('NONE')).toBe(true);
  const old = Array.from({ length: 10 }, () => enter(true));
  for (let count = 0; count < 5; count++) call('FAILURE');
  for (const report of old) if (typeof report === 'function') report('SUCCESS');
  expect(call('SUCCESS')).toBe(false);
});

test('results of calls that began before it opened do not open it again after it has closed', () => {
  const { call, enter, pass } = open();
  const old = Array.from({ length: 10 }, () => enter(true));
  for (let count = 0; count < 5; count++) call('FAILURE');
  pass(5_000);
  expect(call('SUCCESS')).toBe(true);
  for (const report of old) if (typeof report === 'function') report('FAILURE');
  expect(call('SUCCESS')).toBe(true);
});

test('with 0 it never opens', () => {
  const { call } = open({ consecutive: 0 });
  for (let count = 0; count < 100; count++) expect(call('FAILURE')).toBe(true);
});

test('however calls end, at most one is made in the pause after it opens', () => {
  const outcome = fc.constantFrom('SUCCESS', 'FAILURE', 'ERROR', 'NONE');
  const step = fc.record({ outcome, isRead: fc.boolean(), ms: fc.nat(3_000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { enter, pass } = open();
      let time = 0;
      let failures = 0;
      let openedAt: number | undefined;
      for (const { outcome: ended, isRead, ms } of steps) {
        pass(ms);
        time += ms;
        const entered = enter(isRead);
        if (typeof entered === 'object') {
          // Never closed for longer than the pause, unless the probe may only be a read.
          expect(entered.retryAfterMs).toBeLessThanOrEqual(5_000);
          if (isRead) expect(time - (openedAt ?? time)).toBeLessThan(5_000);
          continue;
        }
        if (openedAt !== undefined) expect(time - openedAt).toBeGreaterThanOrEqual(5_000);
        entered(ended);
        if (openedAt !== undefined) {
          if (ended === 'SUCCESS') openedAt = undefined;
          else if (ended !== 'NONE') openedAt = time;
          failures = 0;
          continue;
        }
        if (ended !== 'NONE') failures = ended === 'FAILURE' ? failures + 1 : 0;
        if (failures === 5 || typeof enter(false) === 'object') {
          openedAt = time;
          failures = 0;
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('after a reset, calls are made as if none had failed', () => {
  const { call, enter, pass, reset, isOpen } = open();
  const early = enter(true);
  for (let count = 0; count < 5; count++) call('FAILURE');
  reset();
  expect(isOpen()).toBe(false);
  for (let count = 0; count < 4; count++) expect(call('FAILURE')).toBe(true);
  // The call from before the reset would be the fifth failure.
  if (typeof early === 'function') early('FAILURE');
  expect(call('FAILURE')).toBe(true);
  expect(isOpen()).toBe(true);
  pass(5_000);
  const probe = enter(true);
  reset();
  if (typeof probe === 'function') probe('FAILURE');
  expect(call('SUCCESS')).toBe(true);
});
