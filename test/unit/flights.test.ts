import { describe, expect, test, vi } from 'vitest';
import { createFlights } from '../../src/gateway/upstream/flights.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** Work that ends when it is told to. */
function work() {
  let end = (_result: string) => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { promise, end, fail };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('work in flight', () => {
  test('is found by its owner and key only', () => {
    const flights = createFlights<string>();
    const { promise } = work();
    void flights.begin('a', 'key', NEVER, promise);
    expect(flights.find('a', 'key', NEVER)).toBe(promise);
    expect(flights.find('b', 'key', NEVER)).toBeUndefined();
    expect(flights.find('a', 'another', NEVER)).toBeUndefined();
  });

  test.each(['end', 'fail'] as const)('is gone after its %s, with its owner', async (how) => {
    const flights = createFlights<string>();
    const { promise, ...ends } = work();
    const begun = flights.begin('a', 'key', NEVER, promise);
    expect(flights.size).toBe(1);
    if (how === 'end') ends.end('x');
    else ends.fail(new Error('x'));
    await begun.catch(() => {});
    await settled();
    expect(flights.find('a', 'key', NEVER)).toBeUndefined();
    expect(flights.size).toBe(0);
  });

  test('that may end after the caller’s deadline is not joined', () => {
    const flights = createFlights<string>();
    void flights.begin('a', 'key', 1_000, work().promise);
    expect(flights.find('a', 'key', 999)).toBeUndefined();
    expect(flights.find('a', 'key', 1_000)).toBeDefined();
  });

  test('that began more than a second ago is not joined, and later work takes its place', async () => {
    const now = vi.spyOn(performance, 'now');
    try {
      now.mockReturnValue(5_000);
      const flights = createFlights<string>();
      const [first, second] = [work(), work()];
      void flights.begin('a', 'key', NEVER, first.promise);
      now.mockReturnValue(6_000);
      expect(flights.find('a', 'key', NEVER)).toBe(first.promise);
      now.mockReturnValue(6_001);
      expect(flights.find('a', 'key', NEVER)).toBeUndefined();
      void flights.begin('a', 'key', NEVER, second.promise);
      first.end('x');
      await settled();
      expect(flights.find('a', 'key', NEVER)).toBe(second.promise);
      second.end('y');
      await settled();
      expect(flights.size).toBe(0);
    } finally {
      now.mockRestore();
    }
  });
});

describe('when an owner’s work is forgotten', () => {
  test('it is joined by nobody, ends, and leaves what began later', async () => {
    const flights = createFlights<string>();
    const [before, after] = [work(), work()];
    void flights.begin('a', 'key', NEVER, before.promise);
    flights.forget('a');
    expect(flights.find('a', 'key', NEVER)).toBeUndefined();
    void flights.begin('a', 'key', NEVER, after.promise);
    before.end('x');
    await settled();
    expect(flights.find('a', 'key', NEVER)).toBe(after.promise);
    after.end('y');
    await settled();
    expect(flights.size).toBe(0);
  });

  test('that of others is not, unless it is that of all', () => {
    const flights = createFlights<string>();
    const { promise } = work();
    void flights.begin('b', 'key', NEVER, promise);
    flights.forget('a');
    expect(flights.find('b', 'key', NEVER)).toBe(promise);
    flights.forgetAll();
    expect(flights.find('b', 'key', NEVER)).toBeUndefined();
    expect(flights.size).toBe(0);
  });
});
