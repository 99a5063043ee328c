import { onTestFinished } from 'vitest';
import type { GatewaySettings } from '../../../src/gateway/settings/settings.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';
import { startGateway } from '../../support/start-stack.ts';
import { type StubAnswer, startStubService, writeAnswer } from '../../support/stub-service.ts';
import { repeating } from './before-services.ts';

/** What no answer of a gateway may contain: it is in the answers of services. */
export const SECRET = 'SECRETCANARY';
/** The start of every app key. */
export const KEY = 'key-of-caller';

/** A read of a faulty record of one service, and a field of the other one. */
export const reads = {
  payments: {
    query:
      '{ faulty: transaction(id: "faulty") { rawId } other: users { edges { node { name } } } }',
    other: { edges: [{ node: { name: 'Ada' } }] },
  },
  users: {
    query: '{ faulty: user(id: "faulty") { rawId } other: viewer { rawId } }',
    other: { rawId: 'a1' },
  },
} as const;

export type Limits = Partial<GatewaySettings['limits']>;

/** Money operations read again soon after an unknown outcome. */
const clock = {
  ...patientGateway.clock,
  sleep: (ms: number) => patientGateway.clock.sleep(ms / 10),
};
/** A service may ask for more time than this. */
const resilience = { ...repeating, totalMs: 60_000 };

/** Starts a gateway that repeats reads twice, in front of two services. */
export async function gatewayOf(
  services: { readonly usersUrl: string; readonly paymentsUrl: string },
  limits: Limits | undefined,
  upstream: Partial<GatewaySettings['upstream']> = {},
) {
  const gateway = await startGateway({
    services: { ...services, posUrl: 'http://127.0.0.1:1' },
    usersAccess: '*',
    limits: { ...patientGateway.limits, maxBytes: 4_096, ...limits },
    upstream: { ...patientGateway.upstream, resilience, ...upstream },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    clock,
  });
  onTestFinished(() => gateway.close());
  const ask = (query: string, key = KEY) => gateway.ask(query, {}, key);
  return { ask, bugs: gateway.bugs };
}

/**
 * Starts a gateway in front of two services that answer with a fault: the record with the id
 * `faulty`, and every write. All other reads work.
 *
 * @param applies whether the writes of money operations are performed
 */
export async function gatewayBeforeFault(
  fault: StubAnswer,
  { limits, applies = false }: { readonly limits?: Limits | undefined; readonly applies?: boolean },
) {
  const payments = await startPayments(fault, applies);
  const users = await startUsers(fault);
  const { ask, bugs } = await gatewayOf({ usersUrl: users.url, paymentsUrl: payments.url }, limits);
  const all = () => [...payments.requests, ...users.requests];
  return {
    ask,
    bugs,
    addresses: [payments.url, users.url].map((url) => url.replace('http://', '')),
    /** How often the record `faulty` was read. */
    reads: () => all().filter((call) => call.endsWith('/faulty')).length,
    /** Every write that arrived. */
    writes: () => all().filter((call) => !call.startsWith('GET ')),
    headers: () => [...payments.headers, ...users.headers],
  };
}

/** Starts a user-records service. All its writes are faulty. */
export async function startUsers(fault: StubAnswer = {}) {
  const service = await startStubService({
    'GET /users': { json: [{ id: 'u1', name: 'Ada' }] },
    'GET /users/u1': { json: { id: 'u1', name: 'Ada' } },
    'GET /users/faulty': fault,
    'POST /users': fault,
    'PUT /users/u1': fault,
    'PATCH /users/u1': fault,
    'DELETE /users/u1': fault,
  });
  onTestFinished(() => service.close());
  return service;
}

const created = '2026-01-01T00:00:00Z';
const TRANSACTION = {
  ...{ id: 't1', merchantId: 'm1', currency: 'EUR', successful: true },
  ...{ amount: 1_000, pendingAmount: 500, capturedAmount: 500 },
};

/** Starts a payments service with half a captured transaction. All its writes are faulty. */
export async function startPayments(fault: StubAnswer = {}, applies = false) {
  const trail: object[] = [{ capture: true, amount: 500, created }];
  const listed: object[] = [];
  const performing = (perform: (body: { custom?: unknown }) => void): StubAnswer =>
    applies ? performThen(perform, fault) : fault;
  const move = (kind: string) => performing(() => trail.push({ [kind]: true, amount: 1, created }));
  const service = await startStubService({
    'GET /me': { json: { identity: { id: 'a1' } } },
    'GET /transactions/faulty': fault,
    'GET /transactions/t1': (request, response) =>
      writeAnswer({ json: { ...TRANSACTION, trail } }, request, response),
    'GET /merchants/m1': { json: { merchant: { id: 'm1' } } },
    'GET /merchants/m1/transactions': (request, response) => {
      const isFirstPage = !request.url?.includes('before');
      writeAnswer({ json: isFirstPage ? listed : [] }, request, response);
    },
    'POST /transactions/t1/captures': move('capture'),
    'POST /transactions/t1/refunds': move('refund'),
    'POST /transactions/t1/voids': move('void'),
    'POST /merchants/m1/transactions': performing(({ custom }) =>
      listed.push({ ...TRANSACTION, id: 't2', custom }),
    ),
    'GET /merchants/m1/lines': fault,
    'POST /apps': fault,
    'PUT /merchants/m1': fault,
    'POST /merchants/m1/users': fault,
    'DELETE /merchants/m1/apps/a2': fault,
  });
  onTestFinished(() => service.close());
  return service;
}

/** Performs a write when its body has arrived, then answers. */
function performThen(
  perform: (body: { custom?: unknown }) => void,
  answer: StubAnswer,
): StubAnswer {
  return (request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      perform(JSON.parse(text));
      writeAnswer(answer, request, response);
    });
  };
}
