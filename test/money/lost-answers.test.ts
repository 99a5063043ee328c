import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, passOn, toBytes } from '../support/fault-proxy.ts';
import { loseRequest, replaceAnswer } from './support/faults.ts';
import {
  findOperation,
  type Movement,
  movementInput,
  movements,
  sendMutation,
  submit,
} from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, type ServiceLedger } from './support/service-ledger.ts';

let gateway: ProxiedGateway;
let ledger: ServiceLedger;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  ledger = await openServiceLedger(gateway.direct.sandbox);
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

/** Input of a movement of a new transaction of 1000 on which it is possible. */
async function newInput(movement: Movement, minorUnits: number) {
  return movementInput(await ledger.createTransaction(movement), minorUnits);
}

/** The amounts of a movement that the service has applied to a transaction. */
async function appliedAmounts(movement: Movement, transactionId: string): Promise<number[]> {
  const entries = await ledger.entries(transactionId);
  return entries.filter(({ kind }) => kind === movement).map(({ amount }) => amount);
}

/** The service performs the request; its answer breaks off after some of its bytes. */
const breakOffAfter =
  (countBytes: (answer: Buffer) => number): Fault =>
  async (forward, { socket }) => {
    const answer = toBytes(await forward());
    socket?.end(answer.subarray(0, countBytes(answer)));
  };

/** The service performs the request; other bytes precede its answer. */
const precedeWith =
  (bytes: string): Fault =>
  async (forward, { socket }) => {
    const answer = toBytes(await forward());
    socket?.write(bytes);
    socket?.end(answer);
  };

const sendTwice: Fault = async (forward, { socket }) => {
  const answer = toBytes(await forward());
  socket?.end(Buffer.concat([answer, answer]));
};

/** The service performs the request; its answer does not arrive within the time limit. */
const timeOut: Fault = async (forward) => {
  await forward();
  gateway.timeOutWrites();
};

const headEnd = (answer: Buffer) => answer.indexOf('\r\n\r\n') + 4;

const answers: [string, Fault, 'ANSWERED' | 'READ_BACK'][] = [
  ['arrives', passOn, 'ANSWERED'],
  ['is lost', breakOffAfter(() => 0), 'READ_BACK'],
  ['breaks off in its headers', breakOffAfter(() => 20), 'READ_BACK'],
  ['breaks off after its headers', breakOffAfter(headEnd), 'READ_BACK'],
  ['breaks off in its body', breakOffAfter(({ length }) => Math.floor(length * 0.8)), 'READ_BACK'],
  ['lacks its last byte', breakOffAfter(({ length }) => length - 1), 'READ_BACK'],
  ['is too late', timeOut, 'READ_BACK'],
  ['arrives twice', sendTwice, 'ANSWERED'],
  ['follows a 103', precedeWith('HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'), 'ANSWERED'],
  // The gateway did not ask for a 100, and takes it for an invalid answer.
  ['follows a 100', precedeWith('HTTP/1.1 100 Continue\r\n\r\n'), 'READ_BACK'],
  ['is not JSON', replaceAnswer(201, '{"transaction": {'), 'READ_BACK'],
  ['is HTML', replaceAnswer(200, '<html>welcome</html>', 'text/html'), 'READ_BACK'],
  ['is empty', replaceAnswer(204, ''), 'READ_BACK'],
  ['is replaced by a 502', replaceAnswer(502, '<html>bad gateway', 'text/html'), 'READ_BACK'],
  ['is replaced by a 408', replaceAnswer(408, '{}'), 'READ_BACK'],
];

const SUCCESS = expect.stringMatching(/Success$/);

describe.each(movements)('a %s', (movement) => {
  const send = (input: object) => submit(gateway.ask, movement, input);

  test.each(answers)(
    'whose answer %s applies once and is SUCCEEDED',
    async (_answer, fault, evidence) => {
      const input = await newInput(movement, 300);
      gateway.proxy.onWrite = fault;
      const first = await send(input);
      gateway.proxy.onWrite = undefined;
      const repeated = await send(input);
      const operation = { status: 'SUCCEEDED', evidence, advice: null };
      expect(first).toMatchObject({
        __typename: SUCCESS,
        operation: { ...operation, replayed: false },
      });
      expect(repeated).toMatchObject({
        __typename: SUCCESS,
        operation: { ...operation, replayed: true },
      });
      expect(first.trailEntry).toEqual(repeated.trailEntry);
      expect(first.trailEntry.amount.minorUnits).toBe(300);
      expect(gateway.posts()).toBe(1);
      expect(await appliedAmounts(movement, input.transactionId)).toEqual([300]);
    },
  );

  test('whose answer is lost is UNKNOWN while the service cannot be read, and SUCCEEDED afterwards', async () => {
    const input = await newInput(movement, 300);
    gateway.proxy.onWrite = async (forward, response) => {
      await forward();
      gateway.proxy.onRead = loseRequest;
      response.destroy();
    };
    const { data, errors } = await sendMutation(gateway.ask, movement, input);
    expect(data.result).toMatchObject({
      __typename: 'OutcomeUnknownError',
      code: 'OUTCOME_UNKNOWN',
      operation: { status: 'UNKNOWN', evidence: null, advice: 'RETRY_SAME_KEY' },
      transaction: null,
    });
    expect(errors).toMatchObject([{ path: ['result', 'transaction'] }]);
    expect(await send(input)).toMatchObject({
      __typename: 'RequestError',
      code: 'NOT_SENT',
      message: expect.stringContaining(
        'An earlier request with this idempotency key may have been applied',
      ),
    });
    gateway.proxy.onRead = undefined;
    expect(await send(input)).toMatchObject({
      __typename: SUCCESS,
      operation: { evidence: 'READ_BACK', replayed: true },
    });
    expect(gateway.posts()).toBe(1);
    expect(await appliedAmounts(movement, input.transactionId)).toEqual([300]);
  });

  test('of a part of the amount stays UNKNOWN if its request is lost, and blocks only its transaction', async () => {
    const input = await newInput(movement, 300);
    gateway.proxy.onWrite = loseRequest;
    await send(input);
    gateway.proxy.onWrite = undefined;
    expect(await send(input)).toMatchObject({
      __typename: 'OutcomeUnknownError',
      operation: { status: 'UNKNOWN' },
      transaction: { rawId: input.transactionId.replace('txn_', '') },
    });
    expect(await send(movementInput(input.transactionId, 10))).toMatchObject({
      code: 'TRANSACTION_BUSY',
      message: expect.stringContaining(input.idempotencyKey),
    });
    expect(await send(await newInput(movement, 10))).toMatchObject({ __typename: SUCCESS });
    expect(gateway.posts()).toBe(2);
    expect(await appliedAmounts(movement, input.transactionId)).toEqual([]);
  });

  test('of the complete amount is sent again when its lost request is repeated, and applies once', async () => {
    const input = await newInput(movement, 1000);
    gateway.proxy.onWrite = loseRequest;
    await send(input);
    gateway.proxy.onWrite = undefined;
    const found = await findOperation(gateway.ask, ledger.merchantId, input.idempotencyKey);
    expect(found).toMatchObject({ status: 'UNKNOWN' });
    expect(gateway.posts()).toBe(1);
    expect(await send(input)).toMatchObject({
      __typename: SUCCESS,
      operation: { status: 'SUCCEEDED', replayed: false },
    });
    expect(gateway.posts()).toBe(2);
    expect(await appliedAmounts(movement, input.transactionId)).toEqual([1000]);
  });

  test('of the complete amount applies once if the first POST arrives just before the second', async () => {
    const input = await newInput(movement, 1000);
    let deliverFirst = async (): Promise<unknown> => undefined;
    gateway.proxy.onWrite = (forward, response) => {
      deliverFirst = forward;
      response.destroy();
    };
    await send(input);
    gateway.proxy.onWrite = async (...exchange) => {
      await deliverFirst();
      await passOn(...exchange);
    };
    expect(await send(input)).toMatchObject({
      __typename: SUCCESS,
      operation: { evidence: 'READ_BACK' },
    });
    expect(gateway.posts()).toBe(2);
    expect(await appliedAmounts(movement, input.transactionId)).toEqual([1000]);
  });
});
