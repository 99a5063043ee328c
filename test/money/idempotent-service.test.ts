import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answered, type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger } from './support/service-ledger.ts';

let gateway: ProxiedGateway;
beforeAll(async () => {
  gateway = await startProxiedGateway();
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

type Exchange = Parameters<Fault>;

/** A service that answers a repeated request with its first answer to that request. */
function rememberAnswers() {
  const answers = new Map<string, Promise<Answered>>();
  function answer([forward, , { headers, url }]: Exchange): Promise<Answered> {
    const request = `${headers['idempotency-key']} ${url}`;
    const known = answers.get(request) ?? forward();
    answers.set(request, known);
    return known;
  }
  const fault: Fault = (...exchange) => {
    const [, response, request] = exchange;
    return passOn(() => answer(exchange), response, request);
  };
  return { answer, fault };
}

// A rejection of the second POST proves nothing, and here reads show nothing.
const services: [string, string, object][] = [
  ['ignores', 'leaves the outcome UNKNOWN', { status: 'UNKNOWN', evidence: null }],
  ['honours', 'succeeds', { status: 'SUCCEEDED', evidence: 'ANSWERED' }],
];

test.each(services)(
  'a second POST to a service that %s its idempotency key %s, and the capture applies once',
  async (service, _result, outcome) => {
    const ledger = await openServiceLedger(gateway.direct.sandbox);
    const input = movementInput(await given(gateway.direct).transaction(1000), 1000);
    const capture = () => submit(gateway.ask, 'capture', input);
    const writes = rememberAnswers();

    // The capture is applied, its answer is lost, and reads keep showing the state before.
    gateway.proxy.onRead = rememberAnswers().fault;
    gateway.proxy.onWrite = async (...exchange) => {
      const [, response] = exchange;
      await writes.answer(exchange);
      response.destroy();
    };
    expect(await capture()).toMatchObject({ operation: { status: 'UNKNOWN' } });

    gateway.proxy.onWrite = service === 'honours' ? writes.fault : undefined;
    const second = await capture();
    expect(second.operation).toMatchObject({ replayed: false, ...outcome });
    expect(gateway.posts()).toBe(2);

    gateway.reset();
    const third = await capture();
    expect(third.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
    expect(gateway.posts()).toBe(0);
    expect(await ledger.entries(input.transactionId)).toEqual([{ kind: 'capture', amount: 1000 }]);
  },
);
