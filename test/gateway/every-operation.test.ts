import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';
import { type Documents, operations, prepareDocuments } from './support/every-operation.ts';

let stack: Stack;
let documents: Documents;

beforeAll(async () => {
  stack = await startStack();
  documents = await prepareDocuments(stack);
});
afterAll(() => stack.close());

test('the table has all 6 and 27 operations of the specifications', () => {
  expect(operations).toHaveLength(6 + 27);
  expect(new Set(operations.map(([rest]) => rest)).size).toBe(33);
});

test.each(operations)('%s is called by %s', async (rest, field, operation) => {
  const document = await documents.fill(operation);
  stack.calls.length = 0;
  const { data, errors } = await stack.ask(document);
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).not.toContain('"message"');
  expect(stack.calls).toContain(rest.replace(/ \(.*$/, ''));
  expect(document).toContain(field.split('.')[1]);
});
