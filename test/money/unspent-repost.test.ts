import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { answerWith, loseRequest, replaceAnswer } from './support/faults.ts';
import { type MovementInput, movementInput, sendMutation, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, type ServiceLedger } from './support/service-ledger.ts';

// A complete capture is lost. Its caller repeats it, and the guard allows a second POST.

let gateway: ProxiedGateway;
let ledger: ServiceLedger;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  ledger = await openServiceLedger(gateway.direct.sandbox);
});
afterAll(() => gateway?.close());

let input: MovementInput;
const capture = () => submit(gateway.ask, 'capture', input);
const UNKNOWN = { operation: { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' } };

beforeEach(async () => {
  gateway.reset();
  input = movementInput(await ledger.createTransaction('capture'), 1000);
  gateway.proxy.onWrite = loseRequest;
  expect(await capture()).toMatchObject(UNKNOWN);
});

async function expectSuccessOfNextRepeat(): Promise<void> {
  gateway.reset();
  expect((await capture()).operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
  expect(await ledger.entries(input.transactionId)).toEqual([{ kind: 'capture', amount: 1000 }]);
}

describe.each([401, 403, 429])('a second POST that is answered %i', (status) => {
  test('and not applied is not spent', async () => {
    gateway.proxy.onWrite = answerWith(status, '{}');
    for (let repeats = 0; repeats < 3; repeats++) {
      expect(await capture()).toMatchObject(UNKNOWN);
    }
    expect(gateway.posts()).toBe(4);
    await expectSuccessOfNextRepeat();
  });

  test('and applied is SUCCEEDED', async () => {
    gateway.proxy.onWrite = replaceAnswer(status, '{}');
    expect((await capture()).operation).toMatchObject({
      status: 'SUCCEEDED',
      evidence: 'READ_BACK',
    });
    expect(gateway.posts()).toBe(2);
  });
});

test('a second POST whose connection is refused is not spent', async () => {
  gateway.reset();
  let reads = 0;
  gateway.proxy.onRead = async (...exchange) => {
    // The second read is that of the effect; then comes the POST.
    if (++reads === 2) gateway.proxy.refuse();
    await passOn(...exchange);
  };
  const { data } = await sendMutation(gateway.ask, 'capture', input);
  await gateway.proxy.accept();
  expect(data.result).toMatchObject(UNKNOWN);
  expect(gateway.posts()).toBe(0);
  await expectSuccessOfNextRepeat();
});

test.each<[string, Fault]>([
  ['a 503', answerWith(503, '{}')],
  ['no answer', loseRequest],
])('a second POST with %s may have been applied, so there is no third', async (_, fault) => {
  gateway.proxy.onWrite = fault;
  expect(await capture()).toMatchObject(UNKNOWN);
  gateway.proxy.onWrite = passOn;
  expect(await capture()).toMatchObject(UNKNOWN);
  expect(gateway.posts()).toBe(2);
});
