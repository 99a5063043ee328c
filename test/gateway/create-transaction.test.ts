import { afterAll, beforeAll, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const CREATE = `mutation ($input: CreateTransactionInput!) { createTransaction(input: $input) {
  __typename
  ... on CreateTransactionSuccess { transaction { recurring successful custom descriptor
    amount { decimal currency exponent } pendingAmount { minorUnits } availableActions { action maximum { minorUnits } } } }
  ... on ProcessingFailedError { processingError { code message client merchant } transaction { successful error { code } availableActions { action } } }
  ... on RequestError { details { path message } }
  ... on MutationError { code path }
} }`;

async function input(changes: object = {}) {
  const { id: merchantId } = await given(stack).merchant();
  return {
    merchantId,
    source: { transactionId: await given(stack).successful(merchantId) },
    amount: { minorUnits: 1990, currency: 'EUR' },
    idempotencyKey: newKey(),
    ...changes,
  };
}

test('a payment is created from an earlier one, with custom data and descriptor', async () => {
  const custom = { reference: 'Order 7', nested: { tags: ['a', 1, null] } };
  const { data } = await stack.ask(CREATE, {
    input: await input({ custom, statementDescriptor: 'COFFEE OF THE MONTH' }),
  });
  expect(data.createTransaction).toEqual({
    __typename: 'CreateTransactionSuccess',
    transaction: {
      recurring: true,
      successful: true,
      custom: { ...custom, tillgraph: { operation: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      descriptor: 'COFFEE OF THE MONTH',
      amount: { decimal: '19.90', currency: 'EUR', exponent: 2 },
      pendingAmount: { minorUnits: 1990 },
      availableActions: [
        { action: 'CAPTURE', maximum: { minorUnits: 1990 } },
        { action: 'VOID', maximum: { minorUnits: 1990 } },
      ],
    },
  });
});

test.each([
  ['JPY', '1990', 0],
  ['KWD', '1.990', 3],
])('an amount in %s has the decimals of its currency', async (currency, decimal, exponent) => {
  const { data } = await stack.ask(CREATE, {
    input: await input({ amount: { minorUnits: 1990, currency } }),
  });
  expect(data.createTransaction.transaction.amount).toEqual({ decimal, currency, exponent });
});

test('a declined payment is a typed error with the reason and the transaction', async () => {
  const transactionId = await given(stack).paidWith('0120');
  const { data } = await stack.ask(CREATE, { input: await input({ source: { transactionId } }) });
  expect(data.createTransaction).toEqual({
    __typename: 'ProcessingFailedError',
    code: 'PROCESSING_FAILED',
    path: null,
    processingError: { code: '7', message: 'Insufficient funds', client: true, merchant: false },
    transaction: { successful: false, error: { code: '7' }, availableActions: [] },
  });
});

test('a declined transaction is rejected as a source, and the error names the input field', async () => {
  const transactionId = await given(stack).paidWith('0007');
  const { data } = await stack.ask(CREATE, { input: await input({ source: { transactionId } }) });
  const path = ['input', 'source', 'transactionId'];
  expect(data.createTransaction).toEqual({
    __typename: 'RequestError',
    code: 'UPSTREAM_REJECTED',
    path,
    details: [{ path, message: 'Must be a successful transaction of this merchant' }],
  });
});

test.each([
  [{ amount: { minorUnits: 0, currency: 'EUR' } }, ['input', 'amount', 'minorUnits']],
  [{ custom: [1] }, ['input', 'custom']],
])('%j is invalid input and causes no call', async (changes, path) => {
  const variables = { input: await input(changes) };
  stack.calls.length = 0;
  const { data } = await stack.ask(CREATE, variables);
  expect(data.createTransaction).toMatchObject({ code: 'INVALID_INPUT', path });
  expect(stack.calls).toEqual([]);
});

test('a currency that is not published is rejected, and the error names the input field', async () => {
  const { data } = await stack.ask(CREATE, {
    input: await input({ amount: { minorUnits: 1, currency: 'ZZZ' } }),
  });
  expect(data.createTransaction).toMatchObject({
    code: 'UPSTREAM_REJECTED',
    path: ['input', 'amount', 'currency'],
  });
});
