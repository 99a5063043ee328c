import { describe, expect, test } from 'vitest';
import { createKeyCheck } from '../../src/gateway/upstream/key-check.ts';
import { RestError } from '../../src/gateway/upstream/rest-error.ts';

const LONG_MS = 120_000;
const failing = (status: number) => async () => {
  throw new RestError('payments', 'GET', 'status', { status });
};
const rejection = () => new Error('rejected before');

describe('the calls with a key', () => {
  test('of which the first is rejected cost that one, however many are made at the same time', async () => {
    const { call } = createKeyCheck(LONG_MS);
    let made = 0;
    const rejected = () => {
      made++;
      return failing(401)();
    };
    const all = await Promise.allSettled(
      Array.from({ length: 1_000 }, () => call('k', rejection, rejected)),
    );
    expect(all.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(call('k', rejection, rejected)).rejects.toThrow('rejected before');
    expect(made).toBe(1);
    expect(await call('another', rejection, async () => 'ok')).toBe('ok');
  });

  test.each([
    ['succeeds', async () => 'ok'],
    ['shows that the key is accepted', failing(404)],
    ['shows nothing about the key', async () => Promise.reject(new Error('no connection'))],
  ])('are made together when the first %s', async (_what, first) => {
    const { call } = createKeyCheck(LONG_MS);
    const order: string[] = [];
    const make = (name: string) => async () => {
      order.push(name);
    };
    const calls = [
      call('k', rejection, async () => {
        order.push('first');
        await Promise.resolve();
        order.push('first has ended');
        return first();
      }),
      call('k', rejection, make('second')),
      call('k', rejection, make('third')),
    ];
    await Promise.allSettled(calls);
    expect(order).toEqual(['first', 'first has ended', 'second', 'third']);
  });

  test('do not wait for a first one that is slow', async () => {
    const { call } = createKeyCheck(1);
    let finish = () => {};
    const slow = call('k', rejection, () => new Promise<void>((resolve) => (finish = resolve)));
    expect(await call('k', rejection, async () => 'ok')).toBe('ok');
    finish();
    await slow;
  });

  test('with a key that was accepted can be rejected later', async () => {
    const { call } = createKeyCheck(LONG_MS);
    await call('k', rejection, async () => 'ok');
    await expect(call('k', rejection, failing(401))).rejects.toThrow(RestError);
    await expect(call('k', rejection, async () => 'ok')).rejects.toThrow('rejected before');
  });
});
