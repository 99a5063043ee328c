import { Kind, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExampleOperations } from '../../src/gateway/graphiql/operations.ts';
import { schema } from '../../src/gateway/schema.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const examples = readExampleOperations();

describe.each(examples)('example $name', ({ query, variables }) => {
  test('is valid, has a name, and begins with its page and with what it is for', () => {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const [operation] = document.definitions;
    expect(operation?.kind === Kind.OPERATION_DEFINITION && operation.name?.value).toBeTruthy();
    expect(query).toMatch(/^# [A-Z][\w, ]+\n# [A-Z].+\.\n(query|mutation) /);
  });

  test('answers with data about the demo, without an error', async () => {
    const answer = await stack.ask(query, JSON.parse(variables));
    expect(answer.errors).toBeUndefined();
    const text = JSON.stringify(answer.data);
    expect(text).not.toMatch(/Error"|"\w+":null[,}]*$/);
    for (const value of Object.values(answer.data)) expect(value).not.toBeNull();
  });
});

test('every page of a dashboard has examples, which stand together', () => {
  const pages = examples.map(({ page }) => page);
  expect(pages.filter((page, index) => page !== pages[index - 1])).toEqual([
    'Merchant overview',
    'Transaction',
    'Take a payment',
    'Capture, refund, void',
    'Recurring charge',
    'Members and apps',
    'Disputes',
    'Users',
  ]);
});

test('there is an example for every query and mutation a newcomer would try first', () => {
  const text = examples.map(({ query }) => query).join();
  for (const field of [
    'merchants {',
    'transaction(id',
    'captureTransaction',
    'refundTransaction',
    'voidTransaction',
    'createTransaction',
    'lines(',
    'paymentLink(',
    'disputes(',
    'members',
    'apps',
    'users(',
    'viewer',
  ]) {
    expect(text).toContain(field);
  }
});
