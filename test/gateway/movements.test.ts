import { afterAll, beforeAll, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const NAMES = {
  capture: 'CaptureTransaction',
  refund: 'RefundTransaction',
  void: 'VoidTransaction',
};
type Movement = keyof typeof NAMES;

const COUNTERS = `pendingAmount { minorUnits } capturedAmount { minorUnits } refundedAmount { minorUnits } voidedAmount { minorUnits }`;

/** The text of one movement, as a field of a mutation. */
function field(movement: Movement, id: string, minorUnits: number, currency = 'EUR', more = '') {
  return `${movement}Transaction(input: { transactionId: "${id}", amount: { minorUnits: ${minorUnits}, currency: "${currency}" }, idempotencyKey: "${newKey()}" ${more} }) {
    __typename
    ... on ${NAMES[movement]}Success { transaction { ${COUNTERS} } trailEntry { __typename amount { minorUnits } statementDescriptor } }
    ... on AmountTooLargeError { maximum { minorUnits currency } }
    ... on MutationError { code message path }
  }`;
}

async function move(
  movement: Movement,
  id: string,
  minorUnits: number,
  currency?: string,
  more?: string,
) {
  const answer = await stack.ask(
    `mutation { result: ${field(movement, id, minorUnits, currency, more)} }`,
  );
  expect(answer.errors).toBeUndefined();
  return answer.data.result;
}

function counters(pending: number, captured: number, refunded: number, voided: number) {
  return {
    pendingAmount: { minorUnits: pending },
    capturedAmount: { minorUnits: captured },
    refundedAmount: { minorUnits: refunded },
    voidedAmount: { minorUnits: voided },
  };
}

test('a partial capture returns the current transaction and the new trail entry', async () => {
  const id = await given(stack).transaction(1000);
  expect(await move('capture', id, 400, 'EUR', ', statementDescriptor: "FIRST HALF"')).toEqual({
    __typename: 'CaptureTransactionSuccess',
    transaction: counters(600, 400, 0, 0),
    trailEntry: {
      __typename: 'CaptureTrailEntry',
      amount: { minorUnits: 400 },
      statementDescriptor: 'FIRST HALF',
    },
  });
});

test('an amount that is too large is an error with the maximum, and nothing is sent', async () => {
  const id = await given(stack).transaction(1000);
  await move('capture', id, 400);
  stack.calls.length = 0;
  const wanted = {
    code: 'AMOUNT_TOO_LARGE',
    __typename: 'AmountTooLargeError',
    path: ['input', 'amount', 'minorUnits'],
  };
  expect(await move('capture', id, 700)).toMatchObject({
    ...wanted,
    maximum: { minorUnits: 600, currency: 'EUR' },
  });
  expect(await move('refund', id, 401)).toMatchObject({
    ...wanted,
    maximum: { minorUnits: 400, currency: 'EUR' },
  });
  expect(await move('void', id, 601)).toMatchObject({
    ...wanted,
    maximum: { minorUnits: 600, currency: 'EUR' },
  });
  expect(stack.calls.filter((call) => call.startsWith('POST'))).toEqual([]);
});

test('refund and void move the available amount; a refunded amount allows neither', async () => {
  const id = await given(stack).transaction(1000);
  await move('capture', id, 400);
  expect((await move('refund', id, 100)).transaction).toEqual(counters(600, 400, 100, 0));
  expect((await move('void', id, 600)).transaction).toEqual(counters(0, 400, 100, 600));
  expect((await move('refund', id, 301)).maximum).toEqual({ minorUnits: 300, currency: 'EUR' });
  expect((await move('void', id, 1)).maximum).toEqual({ minorUnits: 0, currency: 'EUR' });
});

test('two captures in one operation show the transaction after each of them', async () => {
  const id = await given(stack).transaction(100);
  const { data } = await stack.ask(
    `mutation { a: ${field('capture', id, 10)} b: ${field('capture', id, 20)} }`,
  );
  expect(data.a.transaction.pendingAmount.minorUnits).toBe(90);
  expect(data.b.transaction.pendingAmount.minorUnits).toBe(70);
});

test('each of two equal captures shows its own entry', async () => {
  const id = await given(stack).transaction(100);
  const entry = `... on CaptureTransactionSuccess { trailEntry { line { id } } }`;
  const input = () =>
    `input: { transactionId: "${id}", amount: { minorUnits: 10, currency: "EUR" }, idempotencyKey: "${newKey()}" }`;
  const { data } = await stack.ask(
    `mutation { a: captureTransaction(${input()}) { ${entry} } b: captureTransaction(${input()}) { ${entry} } }`,
  );
  expect(data.a.trailEntry.line.id).not.toBe(data.b.trailEntry.line.id);
});

test('an amount in another currency is invalid, and nothing is sent', async () => {
  const id = await given(stack).transaction(1000);
  stack.calls.length = 0;
  for (const movement of ['capture', 'refund', 'void'] as const) {
    expect(await move(movement, id, 10, 'DKK')).toEqual({
      __typename: 'RequestError',
      code: 'CURRENCY_MISMATCH',
      message: 'The transaction is in EUR.',
      path: ['input', 'amount', 'currency'],
    });
  }
  expect(stack.calls.filter((call) => call.startsWith('POST'))).toEqual([]);
});

test('zero and negative amounts are invalid input, without a call', async () => {
  const id = await given(stack).transaction(1000);
  stack.calls.length = 0;
  for (const minorUnits of [0, -1]) {
    expect(await move('refund', id, minorUnits)).toMatchObject({ code: 'INVALID_INPUT' });
  }
  expect(stack.calls).toEqual([]);
});

test.each(['1.5', '"1"', '9007199254740992', '1e400', 'null'])(
  'the literal %s is not accepted as minor units',
  async (literal) => {
    const id = await given(stack).transaction(1000);
    stack.calls.length = 0;
    const { errors } = await stack.ask(
      `mutation { ${field('capture', id, 1).replace('minorUnits: 1', `minorUnits: ${literal}`)} }`,
    );
    expect(errors).toHaveLength(1);
    expect(stack.calls).toEqual([]);
  },
);

test('a missing transaction is NOT_FOUND, and the id of another type is BAD_USER_INPUT', async () => {
  expect(await move('capture', '0123456789abcdef01234567', 1)).toMatchObject({
    __typename: 'RequestError',
    code: 'NOT_FOUND',
    path: ['input', 'transactionId'],
  });
  const { id } = await given(stack).merchant();
  const { data, errors } = await stack.ask(`mutation { ${field('capture', id, 1)} }`);
  expect(data.captureTransaction).toBeNull();
  expect(errors?.[0]).toMatchObject({
    message:
      '`input.transactionId` is an id of type Merchant; it must be an id of type Transaction.',
    extensions: { code: 'BAD_USER_INPUT' },
  });
});

test('a rejection by the service names the input field', async () => {
  const id = await given(stack).transaction(1000);
  expect(
    await move(
      'capture',
      id,
      10,
      'EUR',
      ', statementDescriptor: "far too long for any bank statement"',
    ),
  ).toMatchObject({
    __typename: 'RequestError',
    code: 'UPSTREAM_REJECTED',
    path: ['input', 'statementDescriptor'],
  });
});

test('another app can neither read nor move the transaction', async () => {
  const id = await given(stack).transaction(1000);
  const { body } = await rest(stack.sandbox.paymentsUrl).post('/apps', {});
  const { data } = await stack.ask(`mutation { ${field('capture', id, 10)} }`, {}, body.app.key);
  expect(data.captureTransaction).toMatchObject({ __typename: 'RequestError', code: 'NOT_FOUND' });
});

test('a wrong or missing key is a typed error', async () => {
  const id = await given(stack).transaction(1000);
  for (const key of ['wrong', null]) {
    const { data } = await stack.ask(`mutation { ${field('capture', id, 10)} }`, {}, key);
    expect(data.captureTransaction).toMatchObject({ code: 'UNAUTHENTICATED' });
  }
});
