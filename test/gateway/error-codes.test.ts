import { isEnumType } from 'graphql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createMachineClock } from '../../src/gateway/money/engine/clock.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { schema } from '../../src/gateway/schema.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import type { Answer } from '../support/ask.ts';
import { freePort } from '../support/free-port.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientGateway, patientStore } from '../support/patience.ts';
import { type Stack, type StackOptions, startGateway, startStack } from '../support/start-stack.ts';
import { preparedStorage } from '../support/storage.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';

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
  stack.ask(
    CAPTURE,
    { input: { transactionId, amount: one, idempotencyKey: newKey(), ...input } },
    key,
  );
const charge = (input: object) =>
  stack.ask(CREATE, {
    input: {
      merchantId,
      source: { transactionId },
      amount: one,
      idempotencyKey: newKey(),
      ...input,
    },
  });

const found = {
  'GET /transactions/t1': {
    json: {
      transaction: {
        ...{ id: 't1', merchantId: 'm1', successful: true, trail: [] },
        ...{ amount: 9, currency: 'EUR', pendingAmount: 9 },
      },
    },
  },
};

/** Captures through a gateway in front of a scripted service, once or more. Returns the last answer. */
async function captureBefore(
  post: StubAnswer,
  {
    times = 1,
    store = createMemoryStore(Date.now, patientStore.leaseMs),
    ...options
  }: Omit<StackOptions, 'services'> & {
    readonly times?: number;
  } = {},
): Promise<Answer> {
  const service = await startStubService({ ...found, 'POST /transactions/t1/captures': post });
  const { url } = service;
  const gateway = await startGateway({
    services: { usersUrl: url, paymentsUrl: url, posUrl: url },
    ...options,
    store,
  });
  const input = () => ({ transactionId: 't1', amount: one, idempotencyKey: newKey() });
  let answer = await gateway.ask(CAPTURE, { input: input() }, 'key');
  for (let time = 1; time < times; time++) {
    answer = await gateway.ask(CAPTURE, { input: input() }, 'key');
  }
  await gateway.close();
  await service.close();
  return answer;
}

/** A store that can no longer be reached. */
async function lostStore(): Promise<OperationStore> {
  const store = await openStore({ ...(await preparedStorage()), ...patientStore });
  await store.close();
  return { ...store, close: async () => {} };
}

/** Sends an operation to a gateway whose services cannot be reached. */
async function askWithoutServices(query: string, variables = {}): Promise<Answer> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const gateway = await startGateway({
    services: { usersUrl: url, paymentsUrl: url, posUrl: url },
  });
  const answer = await gateway.ask(query, variables, 'key');
  await gateway.close();
  return answer;
}

const broken: StubAnswer = (_request, response) => void response.destroy();

/** A request for each code that returns it; with the sandbox where possible. */
const requests: Record<string, () => Promise<Answer>> = {
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
  RATE_LIMITED: async () => {
    const { load } = patientGateway;
    const limited = await startStack({
      load,
      rate: { pointsPerMinute: 0, keylessPerMinute: 1 },
    });
    onTestFinished(() => limited.close());
    const create = 'createApp(input: {}) { __typename ... on MutationError { code message path } }';
    return limited.ask(`mutation { ${create} result: ${create} }`, {}, null);
  },
  UPSTREAM_REJECTED: () =>
    charge({ custom: JSON.parse(`${'{"a":'.repeat(21)}1${'}'.repeat(21)}`) }),
  UPSTREAM_UNAVAILABLE: () =>
    askWithoutServices(
      'mutation { result: createApp(input: {}) { __typename ... on MutationError { code message path } } }',
    ),
  NOT_SENT: () =>
    askWithoutServices(CAPTURE, {
      input: { transactionId: 't1', amount: one, idempotencyKey: newKey() },
    }),
  CONFLICT: () => captureBefore({ status: 409, json: { message: 'changed' } }),
  OUTCOME_UNKNOWN: () => captureBefore(broken),
  TRANSACTION_BUSY: () => captureBefore(broken, { times: 2 }),
  // The caller's deadline is shorter than the time limit of the write.
  IDEMPOTENCY_KEY_IN_USE: () =>
    captureBefore(() => {}, {
      clock: createMachineClock(),
      deadlineMs: 4_000,
      limits: { ...patientGateway.limits, writeMs: 5_000 },
    }),
  IDEMPOTENCY_KEY_REUSED: async () => {
    const idempotencyKey = newKey();
    await capture({ idempotencyKey });
    return capture({ idempotencyKey, amount: { minorUnits: 2, currency: 'EUR' } });
  },
  STORE_UNAVAILABLE: async () => captureBefore({ json: {} }, { store: await lostStore() }),
};

test.each(Object.entries(requests))('%s is returned', async (code, send) => {
  const { data, errors } = await send();
  expect(errors).toBeUndefined();
  expect(data.result.code).toBe(code);
  expect(data.result.message).toMatch(/^\S.{9,}/);
});

test('these are all codes of the schema', () => {
  const type = schema.getType('ErrorCode');
  const names = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  expect(Object.keys(requests).sort()).toEqual(names.sort());
});
