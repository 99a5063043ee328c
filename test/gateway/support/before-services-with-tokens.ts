import { expect, onTestFinished } from 'vitest';
import { createLog } from '../../../src/gateway/telemetry/log.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientStore } from '../../support/patience.ts';
import { startGateway } from '../../support/start-stack.ts';
import { startStubService } from '../../support/stub-service.ts';
import { tokenSettings } from '../../support/token.ts';

/** The gateway's own app key. */
export const OWN_KEY = 'key-of-the-gateway';

/** A gateway that accepts tokens, in front of two scripted services. */
export async function gatewayWithTokens(changes: Record<string, string> = {}) {
  const payments = await startStubService({
    'GET /me': { json: { identity: { id: 'a1', name: 'Gateway' } } },
    'POST /apps': { json: { app: { id: 'a2', key: 'secret-of-a2' } } },
  });
  const users = await startStubService({
    'GET /users': { json: [{ id: 'u1', name: 'Ada' }] },
    'GET /users/u1': { json: { id: 'u1', name: 'Ada' } },
    'PATCH /users/u1': { status: 204, text: '' },
  });
  const reports: string[] = [];
  const lines: string[] = [];
  const gateway = await startGateway({
    ...tokenSettings(OWN_KEY, changes),
    services: { usersUrl: users.url, paymentsUrl: payments.url, posUrl: 'http://127.0.0.1:1' },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    report: (message) => reports.push(message),
    requestLog: createLog('warn', { write: (line) => void lines.push(line) }),
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= gateway.close();
    return closed;
  };
  for (const { close: end } of [payments, users, { close }]) onTestFinished(() => end());
  const ask = (query: string, token: string | null) => gateway.ask(query, {}, token);
  return {
    ask,
    url: gateway.url,
    payments,
    users,
    reports,
    /** Why tokens were not accepted, as the log shows it. */
    rejections: () => lines.map((line): string => JSON.parse(line).cause),
    lines,
    close,
  };
}

type Gateway = Awaited<ReturnType<typeof gatewayWithTokens>>;

/** A query that calls both services. */
export const BOTH = '{ __typename viewer { rawId } users { edges { node { name } } } }';

export async function expectAccepted({ ask, payments }: Gateway, token: string) {
  const { data, errors } = await ask(BOTH, token);
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({ viewer: { rawId: 'a1' }, users: { edges: [{}] } });
  expect(payments.headers.at(-1)?.authorization).toBe(`Basic ${btoa(`:${OWN_KEY}`)}`);
}

/** Both fields fail in the same way, and no service is called. */
export async function expectRejected(gateway: Gateway, token: string | null, message: string) {
  const called = gateway.payments.requests.length + gateway.users.requests.length;
  const { status, data, errors } = await gateway.ask(BOTH, token);
  expect([status, data]).toEqual([200, { __typename: 'Query', viewer: null, users: null }]);
  expect(errors?.map((error) => [error.message, error.extensions])).toEqual([
    [message, { code: 'UNAUTHENTICATED', service: 'payments' }],
    [message, { code: 'UNAUTHENTICATED', service: 'users' }],
  ]);
  expect(gateway.payments.requests.length + gateway.users.requests.length).toBe(called);
}

export const MISSING = 'The request has no token. Send the header `Authorization: Bearer <token>`.';
export const WRONG_FORM =
  'The header `Authorization` is malformed. Send `Authorization: Bearer <token>`, with `Bearer` once and without quotation marks.';
export const NO_JWT =
  'This is not a token (JWT). Send a signed token from your identity provider: three parts separated by dots. An app key is not accepted.';
export const UNKNOWN_KEY = 'The issuer has no key for the `kid` and the `alg` of the token.';
export const WRONG_SIGNATURE = 'The signature of the token is wrong.';
export const WRONG_ALGORITHM = 'The algorithm of the token (`alg`) is not accepted.';
