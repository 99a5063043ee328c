import { afterAll, beforeAll, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const ERROR = '... on RequestError { details { path message } } ... on MutationError { code path }';

async function save(merchantId: string, transactionId: string) {
  const { data } = await stack.ask(
    `mutation ($input: SaveCardInput!) { saveCard(input: $input) { __typename
      ... on SaveCardSuccess { card { id rawId bin last4 scheme schemeName expiry createdAt merchant { id } } } ${ERROR} } }`,
    { input: { merchantId, transactionId, notes: 'main card' } },
  );
  return data.saveCard;
}

test('a card can be saved from a payment, read and charged', async () => {
  const { id: merchantId } = await given(stack).merchant();
  const { card } = await save(merchantId, await given(stack).successful(merchantId));
  expect(card).toMatchObject({
    last4: '0000',
    scheme: expect.stringMatching(/VISA|MASTERCARD/),
    expiry: '2066-08-31T23:59:59.999Z',
    merchant: { id: merchantId },
  });
  const { data } = await stack.ask(
    `{ card(id: "${card.rawId}") { id bin } node(id: "${card.id}") { __typename } }`,
  );
  expect(data).toEqual({ card: { id: card.id, bin: card.bin }, node: { __typename: 'Card' } });

  const { data: charged } = await stack.ask(
    `mutation ($input: CreateTransactionInput!) { createTransaction(input: $input) {
      ... on CreateTransactionSuccess { transaction { recurring card { last4 } } } ${ERROR} } }`,
    {
      input: {
        merchantId,
        source: { cardId: card.id },
        amount: { minorUnits: 500, currency: 'EUR' },
        idempotencyKey: newKey(),
      },
    },
  );
  expect(charged.createTransaction.transaction).toEqual({
    recurring: true,
    card: { last4: '0000' },
  });
});

test('the schema requires exactly one source of a payment', async () => {
  const { id: merchantId } = await given(stack).merchant();
  for (const source of [{}, { cardId: 'a', transactionId: 'b' }]) {
    const { errors } = await stack.ask(
      'mutation ($input: CreateTransactionInput!) { createTransaction(input: $input) { __typename } }',
      {
        input: {
          merchantId,
          source,
          amount: { minorUnits: 1, currency: 'EUR' },
          idempotencyKey: newKey(),
        },
      },
    );
    expect(errors?.[0]?.message).toMatch(/exactly one field must be specified/);
  }
});

test('a rejected card names the input field that is wrong', async () => {
  const { id: merchantId } = await given(stack).merchant('EUR');
  const { id: other } = await given(stack).merchant('DKK');
  const foreign = await given(stack).successful(other);
  expect(await save(merchantId, foreign)).toMatchObject({
    code: 'INVALID_INPUT',
    path: ['input', 'transactionId'],
  });
  const { data } = await stack.ask(
    `mutation { createTransaction(input: { merchantId: "${merchantId}", source: { cardId: "0123456789abcdef01234567" },
      amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "${newKey()}" }) { ${ERROR} } }`,
  );
  expect(data.createTransaction).toMatchObject({ path: ['input', 'source', 'cardId'] });
});
