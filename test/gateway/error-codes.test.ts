import { isEnumType } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { given } from '../support/given.ts';
import { freePort } from '../support/postgres-server.ts';
import { type Answer, type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { startStubService } from '../support/stub-service.ts';

let stack: Stack;
let transactionId: string;
let merchantId: string;
beforeAll(async () => {
  stack = await startStack();
  transactionId = await given(stack).transaction(1000);
  merchantId = (await given(stack).merchant()).id;
});
afterAll(() => stack?.close());

const CAPTURE = `mutation ($input: CaptureTransactionInput!) { result: captureTransaction(input: $input) {
  __typename ... on MutationError { code message path } } }`;
const CREATE = `mutation ($input: CreateTransactionInput!) { result: createTransaction(input: $input) {
  __typename ... on MutationError { code message path } } }`;

const one = { minorUnits: 1, currency: 'EUR' };
const capture = (input: object, key?: string | null) =>
  stack.ask(CAPTURE, { input: { transactionId, amount: one, ...input } }, key);
const charge = (input: object) =>
  stack.ask(CREATE, { input: { merchantId, source: { transactionId }, amount: one, ...input } });

/** A gateway whose payments service is elsewhere. */
async function captureBefore(paymentsUrl: string): Promise<Answer> {
  const gateway = await startGateway({
    services: { usersUrl: paymentsUrl, paymentsUrl, posUrl: paymentsUrl },
  });
  const answer = await gateway.ask(CAPTURE, { input: { transactionId: 't1', amount: one } }, 'key');
  await gateway.close();
  return answer;
}

/** How each code comes about, one request each; all but the two last with the sandbox. */
const ways: Record<string, () => Promise<Answer>> = {
  INVALID_INPUT: () => capture({ amount: { minorUnits: 0, currency: 'EUR' } }),
  AMOUNT_TOO_LARGE: () => capture({ amount: { minorUnits: 1001, currency: 'EUR' } }),
  CURRENCY_MISMATCH: () => capture({ amount: { minorUnits: 1, currency: 'DKK' } }),
  NOT_FOUND: () => capture({ transactionId: 'txn_000000000000000000000000' }),
  UNAUTHENTICATED: () => capture({}, 'not-a-key'),
  FORBIDDEN: async () => {
    const made = await stack.ask(
      'mutation { createApp(input: { name: "Stranger" }) { ... on CreateAppSuccess { key } } }',
      {},
      null,
    );
    return stack.ask(
      'mutation { result: createUser(input: { name: "A", email: "a@a.example", address: "A" }) { __typename ... on MutationError { code message path } } }',
      {},
      made.data.createApp.key,
    );
  },
  PROCESSING_FAILED: async () =>
    charge({ source: { transactionId: await given(stack).paidWith('0120') } }),
  UPSTREAM_REJECTED: () =>
    charge({ custom: JSON.parse(`${'{"a":'.repeat(21)}1${'}'.repeat(21)}`) }),
  UPSTREAM_UNAVAILABLE: async () => captureBefore(`http://127.0.0.1:${await freePort()}`),
  CONFLICT: async () => {
    const money = { amount: 9, currency: 'EUR', pendingAmount: 9 };
    const transaction = { id: 't1', merchantId: 'm1', successful: true, trail: [], ...money };
    const service = await startStubService({
      'GET /transactions/t1': { json: { transaction } },
      'POST /transactions/t1/captures': { status: 409, json: { message: 'changed' } },
    });
    const answer = await captureBefore(service.url);
    await service.close();
    return answer;
  },
};

test.each(Object.keys(ways))('%s comes about', async (code) => {
  const { data, errors } = await (ways[code] as () => Promise<Answer>)();
  expect(errors).toBeUndefined();
  expect(data.result.code).toBe(code);
  expect(data.result.message).toMatch(/^\S.{9,}/);
});

test('these are all the codes of the schema', () => {
  const type = schema.getType('ErrorCode');
  const names = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  expect(Object.keys(ways).sort()).toEqual(names.sort());
});
