import { expect, test } from 'vitest';
import { createGate } from '../../src/gateway/upstream/gate.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** How a call that enters ends, as far as that is known now. */
async function stateOf(entering: unknown): Promise<unknown> {
  const state = await Promise.race([
    entering,
    new Promise((resolve) => setImmediate(resolve, 'WAITS')),
  ]);
  return typeof state === 'function' ? 'IN' : state;
}

test('an owner uses half of the places and half of the queue, and others the rest', async () => {
  const gate = createGate(4, 8);
  const enter = (owner: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => stateOf(gate.enter(owner, NEVER))));
  expect(await enter('a', 10)).toEqual([
    ...Array(2).fill('IN'),
    ...Array(4).fill('WAITS'),
    ...Array(4).fill('FULL'),
  ]);
  expect(await enter('b', 5)).toEqual(['IN', 'WAITS', 'WAITS', 'FULL', 'FULL']);
});

test('a place that is given back goes to a waiting call; who does not get one in time is late', async () => {
  const gate = createGate(2, 8);
  const first = await gate.enter('a', NEVER);
  const second = gate.enter('a', NEVER);
  expect(await gate.enter('a', 10)).toBe('LATE');
  if (typeof first === 'function') first();
  expect(await stateOf(second)).toBe('IN');
});

test('a call that was late gives its place in the queue back', async () => {
  const gate = createGate(2, 2);
  await gate.enter('a', NEVER);
  const waiting = gate.enter('a', 10);
  expect(await gate.enter('a', NEVER)).toBe('FULL');
  expect(await waiting).toBe('LATE');
  expect(await gate.enter('a', 10)).toBe('LATE');
});
