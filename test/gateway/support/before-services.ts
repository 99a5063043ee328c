import { onTestFinished } from 'vitest';
import type { GatewaySettings } from '../../../src/gateway/settings/settings.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';
import { type StackOptions, startGateway } from '../../support/start-stack.ts';
import { type StubAnswer, startStubService, writeAnswer } from '../../support/stub-service.ts';

type Upstream = GatewaySettings['upstream'];
const { upstream } = patientGateway;

/** Reads are repeated, and there is no breaker. */
export const repeating: Upstream['resilience'] = {
  ...upstream.resilience,
  retries: 2,
  retryBudget: { ratio: 1, perSecond: 100 },
};

/** Starts a gateway in front of two scripted services. Closed when the test ends. */
export async function gatewayBefore(
  payments: Record<string, StubAnswer>,
  changes: Partial<Upstream> = { resilience: repeating },
  settings: Pick<
    StackOptions,
    | 'deadlineMs'
    | 'limits'
    | 'load'
    | 'rate'
    | 'onBegun'
    | 'epochs'
    | 'http'
    | 'requestLog'
    | 'replica'
    | 'sync'
  > = {},
) {
  const me = { 'GET /me': { json: { identity: { id: 'a1' } } } };
  const paymentsStub = await startStubService({ ...me, ...payments });
  const usersStub = await startStubService({ 'GET /users': { json: [{ id: 'u1', name: 'Ada' }] } });
  onTestFinished(() => paymentsStub.close());
  onTestFinished(() => usersStub.close());
  const gateway = await startGateway({
    services: {
      usersUrl: usersStub.url,
      paymentsUrl: paymentsStub.url,
      posUrl: 'http://127.0.0.1:1',
    },
    usersAccess: '*',
    upstream: { ...upstream, ...changes },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    ...settings,
  });
  onTestFinished(() => gateway.close());
  const ask = (query: string, key = 'any-key', variables: Record<string, unknown> = {}) =>
    gateway.ask(query, variables, key);
  return { ask, url: gateway.url, payments: paymentsStub, bugs: gateway.bugs };
}

/** A query that makes one read. */
export const TRANSACTION = '{ transaction(id: "t1") { rawId } }';
/** The answer to it. */
export const found = { json: { transaction: { id: 't1' } } };

/** Answers with each script in turn, and with the last one from then on. */
export function inTurn(...answers: StubAnswer[]): StubAnswer {
  let count = 0;
  return (request, response) => {
    const answer = answers[Math.min(count++, answers.length - 1)] ?? {};
    writeAnswer(answer, request, response);
  };
}

/** Breaks the connection. */
export const reset: StubAnswer = (_request, response) => void response.destroy();
