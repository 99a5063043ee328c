import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { createLog } from '../../src/gateway/telemetry/log.ts';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line) => void lines.push(line) });

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ requestLog: log, log: { operationNames: false } });
});
afterAll(() => stack?.close());
beforeEach(() => {
  lines.length = 0;
});

const read = () => lines.map((line) => JSON.parse(line));

test('every request is one line with these fields and no others', async () => {
  const { id } = await given(stack).merchant();
  lines.length = 0;
  const document = 'query Mine($id: ID!) { merchant(id: $id) { name } users { edges { cursor } } }';
  await stack.ask(document, { id });
  expect(read()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      traceId: '-',
      caller: expect.stringMatching(/^[\w+/]{12}$/),
      operationType: 'query',
      operationName: '-',
      document: '-',
      documentHash: hash('sha256', document).slice(0, 16),
      durationMs: expect.any(Number),
      status: 200,
      errorCodes: [],
      upstreamCalls: expect.any(Number),
      retries: 0,
      usersMs: expect.any(Number),
      paymentsMs: expect.any(Number),
    },
  ]);
  const [{ upstreamCalls, usersMs, paymentsMs }] = read();
  expect(upstreamCalls).toBeGreaterThanOrEqual(2);
  for (const ms of [usersMs, paymentsMs]) expect(ms).toBeGreaterThan(0);
});

test('the codes of errors are in the line, also of requests that are not executed', async () => {
  await stack.ask('{ viewer { name } }', {}, 'wrong-key');
  await stack.ask('{ nothing }');
  await stack.ask('mutation { createApp(input: {}) { __typename } }', { unused: 1 });
  expect(read()).toMatchObject([
    { operationType: 'query', errorCodes: ['UNAUTHENTICATED'] },
    { operationType: '-', errorCodes: ['GRAPHQL_VALIDATION_FAILED'] },
    { operationType: 'mutation', errorCodes: [] },
  ]);
});

test('the codes of typed errors of mutations are in the line, too', async () => {
  await stack.ask('mutation { deleteUser(input: { userId: "999999999" }) { __typename } }');
  expect(read()).toMatchObject([{ operationType: 'mutation', errorCodes: ['NOT_FOUND'] }]);
});

test('requests that are not executed, or whose response is not sent, have their own status', async () => {
  const { http } = readGatewaySettings({ MAX_RESPONSE_BYTES: '1024' });
  const rate = { pointsPerMinute: 1, keylessPerMinute: 0 };
  const limited = await startStack({ requestLog: log, log: { operationNames: false }, http, rate });
  await limited.ask('{ currencies { code } }', {}, null);
  await limited.ask('{ viewer { name } }', {}, null);
  expect(read()).toMatchObject([
    { operationType: 'query', status: 413 },
    { operationType: 'query', status: 429, errorCodes: ['RATE_LIMITED'] },
  ]);
  await limited.close();
});

test('a caller is the same in all lines, whatever executes the request', async () => {
  const asks = async (query: string, key?: string | null) => {
    lines.length = 0;
    await stack.ask(query, {}, key);
    return read().map(({ caller }) => caller);
  };
  const [own] = await asks('{ viewer { name } }');
  // Yoga executes what is not a usual request.
  expect(await asks('{ __schema { __typename } }')).toEqual([own]);
  expect(await asks('{ nothing }')).toEqual(['-']);
  expect(await asks('{ viewer { name } }', 'another-key')).not.toEqual([own]);
  expect(await asks('{ viewer { name } }', null)).toEqual(['-']);

  lines.length = 0;
  const query = '{ currencies { code } }';
  await Promise.all(Array.from({ length: 8 }, () => stack.ask(query)));
  expect(new Set(read().map(({ caller }) => caller))).toEqual(new Set([own]));
});

test('names of operations are in the line if that is turned on', async () => {
  const named = await startStack({ requestLog: log, log: { operationNames: true } });
  await named.ask('query Mine { viewer { name } }');
  await named.ask('{ viewer { name } }');
  expect(read().map(({ operationName }) => operationName)).toEqual(['Mine', '-']);
  await named.close();
});

const CANARY = 'SECRETCANARY';
const secret: StubAnswer[] = [
  { status: 500, json: { message: CANARY } },
  { status: 400, json: [{ field: CANARY, message: CANARY }] },
  { status: 403, text: CANARY },
  { text: `<html>${CANARY}` },
  { json: { transaction: { id: CANARY, currency: CANARY, trail: CANARY } } },
  (_request, response) =>
    void response
      .writeHead(302, { location: `http://${CANARY}@a.example/${CANARY}?${CANARY}#${CANARY}` })
      .end(),
];

test('nothing that a client or a service sends is in the log', async () => {
  let answered = 0;
  const any: StubAnswer = (request, response) => {
    const answer = secret[answered++ % secret.length] ?? {};
    if (typeof answer === 'function') return answer(request, response);
    response.writeHead(answer.status ?? 200, { 'x-secret': CANARY });
    response.end(answer.text ?? JSON.stringify(answer.json));
  };
  const calls = ['GET /me', 'GET /transactions/t1', `GET /transactions/${CANARY}`, 'POST /apps'];
  const service = await startStubService(Object.fromEntries(calls.map((call) => [call, any])));
  const messages: unknown[] = [];
  const gateway = await startStack({
    requestLog: log,
    report: (message) => void messages.push(message),
    usersAccess: '*',
    services: { paymentsUrl: service.url },
  });
  const email = `${CANARY}@example.com`;
  const capture = `mutation ($key: String!) { captureTransaction(input: { transactionId: "t1",
    amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: $key }) { __typename } }`;
  const requests: [document: string, variables: object][] = [
    [`query ${CANARY} { ${CANARY}: transaction(id: "${CANARY}") { amount { minorUnits } } }`, {}],
    ['query ($id: ID!) { transaction(id: $id) { merchant { name } } }', { id: CANARY }],
    [`{ transaction(id: "t1") { ${CANARY} } }`, {}],
    [`{ transaction(id: "t1" ${CANARY}: 1) { id } } # ${CANARY}`, {}],
    [`{ "${CANARY}`, {}],
    ['query ($input: String!) { __type(name: $input) { name } }', { input: CANARY, [CANARY]: 1 }],
    [
      'mutation ($name: String) { createApp(input: { name: $name }) { __typename } }',
      { name: CANARY },
    ],
    [
      'mutation ($email: String!) { createUser(input: { name: "x", email: $email, address: "y" }) { __typename } }',
      { email },
    ],
    [capture, { key: CANARY }],
    ['{ users { edges { node { email } } } viewer { name } }', {}],
  ];
  for (let count = 0; count < 200; count++) {
    const [query, variables] = requests[count % requests.length] ?? ['', {}];
    const response = await fetch(`${gateway.url}/graphql?${CANARY}=${CANARY}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: count % 2 === 0 ? `Bearer ${CANARY}` : `Basic ${btoa(`:${CANARY}`)}`,
        'x-request-id': `${CANARY} `.repeat(20),
        [CANARY]: CANARY,
        cookie: CANARY,
      },
      body: JSON.stringify({ query, variables, extensions: { [CANARY]: CANARY } }),
    });
    await response.text();
  }
  await gateway.close();
  await service.close();
  expect(read().filter(({ requestId }) => requestId !== undefined)).toHaveLength(200);
  expect(read()).toContainEqual(
    expect.objectContaining({ cause: 'redirected to http://a.example' }),
  );
  for (const text of [...lines, ...messages.map(String)]) expect(text).not.toContain(CANARY);
  expect(gateway.bugs).toEqual([]);
});
