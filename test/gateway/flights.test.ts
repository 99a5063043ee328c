import { request, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createEpochs } from '../../src/gateway/upstream/epochs.ts';
import type { Flights } from '../../src/gateway/upstream/flights.ts';
import { patientGateway } from '../support/patience.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import {
  found,
  gatewayBefore,
  inTurn,
  repeating,
  reset,
  TRANSACTION,
} from './support/before-services.ts';

/** A gateway whose reads of the transaction `t1` are answered by the test. */
async function beforeHeldReads(first: StubAnswer = found) {
  const held: ServerResponse[] = [];
  let [begun, notice] = [0, () => {}];
  const epochs = createEpochs({ mode: 'operation', epoch: 'credential' }, Number.POSITIVE_INFINITY);
  const all: Pick<Flights<unknown>, 'size'>[] = [];
  const gateway = await gatewayBefore(
    {
      'GET /transactions/t1': inTurn(first, (_request, response) => {
        held.push(response);
        notice();
      }),
    },
    { resilience: repeating },
    {
      onBegun: () => {
        begun++;
        notice();
      },
      epochs: {
        ...epochs,
        createFlights: <T>(kind: 'operation' | 'upstream') => {
          const flights = epochs.createFlights<T>(kind);
          if (flights !== undefined) all.push(flights);
          return flights;
        },
      },
    },
  );
  // The first call with a key is made alone.
  await gateway.ask(TRANSACTION);
  const before = { begun, calls: gateway.payments.requests.length };
  return {
    ...gateway,
    /** Resolves when so many requests have begun and so many reads wait. */
    when: async (requests: number, reads: number) => {
      while (begun - before.begun < requests || held.length < reads) {
        await new Promise<void>((resolve) => {
          notice = resolve;
        });
      }
    },
    answer: (text = JSON.stringify(found.json), status = 200) => {
      for (const response of held.splice(0)) response.writeHead(status).end(text);
    },
    calls: () => gateway.payments.requests.length - before.calls,
    inFlight: () => all.map(({ size }) => size),
  };
}

/** Sends a request over a connection of its own, which `leave` breaks. */
function sendAlone(url: string, body: string) {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer any-key' };
  const sent = request(url, { method: 'POST', agent: false, headers });
  const status = new Promise<number | 'LEFT' | undefined>((resolve) => {
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', () => resolve('LEFT'));
  });
  sent.end(body);
  return { status, leave: () => void sent.destroy() };
}

const NONE = [0, 0, 0];

test('100 equal requests at once make one call, and so do 100 that only read the same', async () => {
  const { ask, when, answer, calls, inFlight } = await beforeHeldReads();
  const equal = Array.from({ length: 100 }, () => ask(TRANSACTION));
  const similar = Array.from({ length: 100 }, (_, at) => ask(`${TRANSACTION} # ${at}`));
  await when(200, 1);
  answer();
  for (const { data } of await Promise.all([...equal, ...similar])) {
    expect(data).toEqual({ transaction: { rawId: 't1' } });
  }
  expect(calls()).toBe(1);
  expect(inFlight()).toEqual(NONE);
});

test('requests for one document that name another operation or other variables share no response', async () => {
  const { url, when, answer, calls } = await beforeHeldReads();
  const fields = 'transaction(id: "t1") { id @skip(if: $isShort) rawId }';
  const query = `query A($isShort: Boolean!) { a: ${fields} } query B($isShort: Boolean!) { b: ${fields} }`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer any-key' };
  const send = async (operationName: string, isShort: boolean) => {
    const body = JSON.stringify({ query, operationName, variables: { isShort } });
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    return response.json();
  };
  const sent = [send('A', true), send('B', true), send('A', false), send('A', true)];
  await when(4, 1);
  answer();
  const short = { rawId: 't1' };
  expect(await Promise.all(sent)).toEqual([
    { data: { a: short } },
    { data: { b: short } },
    { data: { a: { id: expect.any(String), ...short } } },
    { data: { a: short } },
  ]);
  expect(calls()).toBe(1);
});

test.each([
  ['the first one leaves', 1],
  ['all leave', 3],
])('requests that share a query do not disturb it: %s', async (_what, leaving) => {
  const { url, ask, when, answer, calls, inFlight } = await beforeHeldReads();
  const sent = [];
  for (const at of [0, 1, 2]) {
    sent.push(sendAlone(`${url}/graphql`, JSON.stringify({ query: TRANSACTION, variables: {} })));
    await when(at + 1, 1);
  }
  for (const { leave } of sent.slice(0, leaving)) leave();
  const last = ask(TRANSACTION);
  await when(4, 1);
  answer();
  expect((await last).data).toEqual({ transaction: { rawId: 't1' } });
  const statuses = await Promise.all(sent.map(({ status }) => status));
  expect(statuses).toEqual([0, 1, 2].map((at) => (at < leaving ? 'LEFT' : 200)));
  expect(calls()).toBe(1);
  expect(inFlight()).toEqual(NONE);
});

test('a read that fails fails for all that wait for it, and is made again by the next one', async () => {
  const { ask, when, answer, calls, inFlight } = await beforeHeldReads();
  const together = [0, 1, 2].map((at) => ask(`${TRANSACTION} # ${at}`));
  await when(3, 1);
  answer('{}', 500);
  for (const { errors } of await Promise.all(together)) {
    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  }
  expect(calls()).toBe(1);
  expect(inFlight()).toEqual(NONE);
  const next = ask(TRANSACTION);
  await when(4, 1);
  answer();
  expect((await next).errors).toBeUndefined();
  expect(calls()).toBe(2);
});

test('a read is repeated once for all that wait for it', async () => {
  const { ask, when, answer, calls, inFlight } = await beforeHeldReads();
  const together = [0, 1, 2].map((at) => ask(`${TRANSACTION} # ${at}`));
  await when(3, 1);
  answer('{}', 503);
  await when(3, 1);
  answer();
  for (const { errors } of await Promise.all(together)) expect(errors).toBeUndefined();
  expect(calls()).toBe(2);
  expect(inFlight()).toEqual(NONE);
});

test('a read whose time has passed leaves nothing in flight', async () => {
  const silent: StubAnswer = () => {};
  const { ask, payments } = await gatewayBefore(
    { 'GET /transactions/t1': inTurn(reset, silent, found) },
    {},
    { limits: { ...patientGateway.limits, getMs: 200 } },
  );
  await ask(TRANSACTION);
  const late = await Promise.all([ask(TRANSACTION), ask(`${TRANSACTION} # 1`)]);
  for (const { errors } of late) expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT');
  expect((await ask(TRANSACTION)).errors).toBeUndefined();
  expect(payments.requests.filter((call) => call.endsWith('/t1'))).toHaveLength(3);
});
