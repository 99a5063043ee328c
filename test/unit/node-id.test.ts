import { expect, test } from 'vitest';
import { readId, readNodeId, registerKind, toNodeId } from '../../src/gateway/schema/node-id.ts';

registerKind('aaa', 'First');
registerKind('bbb', 'Second', /^\d+\.\d+$/);

test('a node id is the kind and the raw id', () => {
  expect(toNodeId('aaa', 'x1')).toBe('aaa_x1');
  expect(readNodeId('aaa_x1')).toEqual({ kind: 'aaa', rawId: 'x1' });
});

test('a kind may have ids of its own form', () => {
  expect(readNodeId('bbb_1.2')).toEqual({ kind: 'bbb', rawId: '1.2' });
  for (const id of ['bbb_12', 'aaa_1.2']) expect(() => readNodeId(id)).toThrow('not a node id');
});

test('an argument accepts a node id of its kind and the raw id, and no id of another type', () => {
  expect(readId('aaa', 'aaa_x1')).toBe('x1');
  expect(readId('aaa', 'x1')).toBe('x1');
  expect(readId('aaa', 'zzz_1')).toBe('zzz_1');
  expect(() => readId('aaa', 'bbb_1')).toThrow(
    '`id` is an id of type Second; it must be an id of type First.',
  );
});

test('a kind that no type has declared is reported when it is first used', () => {
  const message = 'No type has the node kind "zzz". Declare it with implementNode.';
  expect(() => toNodeId('zzz', '1')).toThrow(message);
  expect(() => readId('zzz', '1')).toThrow(message);
  expect(() => readNodeId('zzz_1')).toThrow('not a node id');
});

test('a kind belongs to one type and has three letters', () => {
  expect(() => registerKind('aaa', 'Third')).toThrow(
    'The node kind "aaa" already belongs to First.',
  );
  expect(() => registerKind('merchant', 'Third')).toThrow('three lower-case letters');
});
