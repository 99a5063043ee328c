import { expect, test } from 'vitest';
import { createSlots } from '../../src/gateway/http/load.ts';

test('slots have the items that were added and not removed', () => {
  const slots = createSlots<string>();
  const removeA = slots.add('a');
  const removeB = slots.add('b');
  expect([...slots]).toEqual(['a', 'b']);
  removeA();
  slots.add('c');
  expect([...slots].sort()).toEqual(['b', 'c']);
  removeB();
  expect([...slots]).toEqual(['c']);
});

test('removing an item again does not remove the one in its place', () => {
  const slots = createSlots<string>();
  const removeA = slots.add('a');
  removeA();
  slots.add('b');
  removeA();
  expect([...slots]).toEqual(['b']);
});
