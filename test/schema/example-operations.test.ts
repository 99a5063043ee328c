import { Kind, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExampleOperations } from '../../src/gateway/http/pages/graphiql/graphiql.ts';
import { schema } from '../../src/gateway/schema.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ isCopied: true });
});
afterAll(() => stack.close());

const examples = readExampleOperations();

describe.each(examples)('example $name', ({ query }) => {
  test('is valid, has a name, and begins with its group and a sentence about it', () => {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const [operation] = document.definitions;
    expect(operation?.kind === Kind.OPERATION_DEFINITION && operation.name?.value).toBeTruthy();
    expect(query).toMatch(/^# [A-Z][\w, ]+\n# [A-Z](.|\n# )+\.\n(query|mutation|subscription) /);
  });
});

test('they return demo data without an error when they run in order', async () => {
  for (const { name, query, variables } of examples) {
    if (query.includes('\nsubscription ')) {
      const live = subscribe(stack.url, stack.sandbox.demoApp.key, query, JSON.parse(variables));
      expect((await live.next()).data?.events.cursor, name).toBeDefined();
      await live.close();
      continue;
    }
    const { data, errors } = await stack.ask(query, JSON.parse(variables));
    expect(errors, name).toBeUndefined();
    const { otherAmount, ...rest } = data;
    expect(JSON.stringify(rest), name).not.toMatch(/Error"|"\w+":null[,}]*$/);
    for (const value of Object.values(rest)) expect(value, name).not.toBeNull();
    if (otherAmount) expect(otherAmount.code, name).toBe('IDEMPOTENCY_KEY_REUSED');
  }
});

test('one of them shows what happens to a key that is used three times', async () => {
  const { query, variables } = examples.find(({ name }) => name === '08-capture-once') ?? {};
  const { input, otherAmount } = JSON.parse(variables ?? '{}');
  const withNewKey = (of: object) => ({ ...of, idempotencyKey: 'another-key' });
  const { data } = await stack.ask(query ?? '', {
    input: withNewKey(input),
    otherAmount: withNewKey(otherAmount),
  });
  const done = { status: 'SUCCEEDED', evidence: 'ANSWERED' };
  expect(data).toMatchObject({
    first: { replayed: false, operation: done },
    sameAgain: { replayed: true, operation: done, transaction: data.first.transaction },
    otherAmount: { __typename: 'RequestError', code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

test('the examples of a group stand together, in the order of the groups', () => {
  const groups = examples.map(({ group }) => group);
  expect(groups.filter((group, index) => group !== groups[index - 1])).toEqual([
    'Merchant overview',
    'Transaction',
    'Take a payment',
    'Capture, refund, void',
    'Money operations',
    'Charge again',
    'Members',
    'Apps',
    'Disputes',
    'Users',
    'Find and add up',
    'Events',
  ]);
});

/** Mutations that take an id which only another one returns. `docs/events.md` shows them. */
const ofEndpoints = new Set([
  'updateWebhookEndpoint',
  'rotateWebhookSecret',
  'deleteWebhookEndpoint',
  'sendTestWebhook',
  'resendWebhookDelivery',
]);

test('there is an example for every mutation, and for every query that a newcomer tries first', () => {
  const text = examples.map(({ query }) => query).join();
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const queries = [
    'merchants',
    'transaction(id',
    'lines',
    'paymentLink',
    'disputes',
    'members',
    'apps',
    'users',
    'viewer',
    'moneyOperations',
  ];
  expect(mutations).toContain('createApp');
  const first = mutations.filter((field) => !ofEndpoints.has(field));
  for (const field of [...first, ...queries]) expect(text).toContain(`  ${field}`);
});
