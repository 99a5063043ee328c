import { expect, test } from 'vitest';
import { createFairQueue } from '../../src/database/session.ts';

/** Starts named work on a queue and records the order in which it runs. */
function record() {
  const { run } = createFairQueue();
  const order: string[] = [];
  const start = (owner: string, name: string) =>
    run(owner, async () => {
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`/${name}`);
      return name;
    });
  return { order, start };
}

test('one piece of work runs at a time, in the order of its owner', async () => {
  const { order, start } = record();
  expect(await Promise.all(['1', '2', '3'].map((name) => start('a', name)))).toEqual([
    '1',
    '2',
    '3',
  ]);
  expect(order).toEqual(['1', '/1', '2', '/2', '3', '/3']);
});

test('owners take turns, however much one of them has to do', async () => {
  const { order, start } = record();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => start(name.charAt(0), name));
  await Promise.all(all);
  const starts = order.filter((name) => !name.startsWith('/'));
  expect(starts).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('work that fails rejects for its caller only, and the queue goes on', async () => {
  const { run } = createFairQueue();
  const rejecting = run('a', () => Promise.reject(new Error('no')));
  const throwing = run('a', () => {
    throw new Error('never');
  });
  const next = run('a', async () => 'done');
  await expect(rejecting).rejects.toThrow('no');
  await expect(throwing).rejects.toThrow('never');
  expect(await next).toBe('done');
  expect(await run('b', async () => 'later')).toBe('later');
});
