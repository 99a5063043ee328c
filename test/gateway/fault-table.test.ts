import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceName } from '../../src/gateway/upstream/rest-error.ts';
import { type StubService, startStubService, writeAnswer } from '../support/stub-service.ts';
import { inTurn } from './support/before-services.ts';
import { type Fault, faultTable } from './support/fault-table.ts';
import { SOUND_BODY, status } from './support/faults.ts';
import { gatewayBeforeFault, KEY, reads, SECRET } from './support/faulty-services.ts';
import { expectedOf, verdictOf, writes } from './support/writes.ts';

// What clients see of every fault in a response of a service. Reads are repeated up to twice.

/** A host to which services redirect. */
let elsewhere: StubService;
beforeAll(async () => {
  elsewhere = await startStubService({});
});
afterAll(() => elsewhere.close());

const table = faultTable(() => elsewhere.url);

/** What a client must not see. */
function expectNoSecret(answers: unknown, addresses: readonly string[]): void {
  const text = JSON.stringify(answers);
  for (const secret of [SECRET, KEY, ...addresses, 'stack']) expect(text).not.toContain(secret);
}

async function expectRead(service: ServiceName, row: Fault): Promise<void> {
  const { fault, read, repeated = false, retryAfterMs, limits } = row;
  const world = await gatewayBeforeFault(fault, { limits: limits?.read });
  const answer = await world.ask(reads[service].query);
  const { data, errors } = answer;
  expect(answer.status).toBe(200);
  const faulty = read === 'FOUND' ? { rawId: 'r1' } : null;
  expect(data).toEqual({ faulty, other: reads[service].other });
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  // A service without keys cannot find one invalid.
  const isOdd = service === 'users' && read === 'UNAUTHENTICATED';
  const code = isOdd ? 'UPSTREAM_BAD_RESPONSE' : read;
  const error = { path: ['faulty'], extensions: { code, service, ...wait } };
  const isError = read !== 'FOUND' && read !== 'NULL';
  expect(errors).toEqual(isError ? [expect.objectContaining(error)] : undefined);
  expectNoSecret(answer, world.addresses);
  // Where a time limit ends the read, the request may not have arrived before.
  if (limits === undefined) expect(world.reads()).toBe(repeated ? 3 : 1);
  for (const headers of world.headers()) expect(headers).not.toHaveProperty('range');
  expect([...world.bugs, ...elsewhere.requests]).toEqual([]);
}

describe.each(table.map((row) => [row.name, row] as const))('a response %s', (_name, row) => {
  const { fault, read, write, repeated, limits } = row;

  test(`to a read is ${read}, and the field of the other service is returned`, async () => {
    await Promise.all([expectRead('payments', row), expectRead('users', row)]);
  });

  test('to a write is the same for every mutation of its kind, and each is sent once', async () => {
    const applies = write === 'APPLIED' || write === 'APPLIED_UNSEEN';
    const world = await gatewayBeforeFault(fault, { limits: limits?.write, applies });
    const answers = await Promise.all(
      // A key that the service rejects is not sent again.
      writes.map(({ name, mutation }) => world.ask(mutation, `${KEY}-${name}`)),
    );
    const verdicts = answers.map((answer, index) => [writes[index]?.name, verdictOf(answer)]);
    const expected = writes.map((each) => [each.name, expectedOf(each, write, read)]);
    expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(expected));
    expect(world.writes().toSorted()).toEqual(writes.map(({ call }) => call).toSorted());
    expectNoSecret(answers, world.addresses);
    expect([...world.bugs, ...elsewhere.requests]).toEqual([]);
  });

  if (repeated && limits === undefined) {
    test('to a read is not seen if the service works at the second repeat', async () => {
      const world = await gatewayBeforeFault(inTurn(fault, fault, { text: SOUND_BODY }), {});
      const { data, errors } = await world.ask('{ transaction(id: "faulty") { rawId } }');
      expect(errors).toBeUndefined();
      expect(data).toEqual({ transaction: { rawId: 'r1' } });
      expect(world.reads()).toBe(3);
    });
  }
});

describe('a response of a wrong shape', () => {
  const LINES = '{ merchant(id: "m1") { name lines(first: 2) { edges { node { rawId } } } } }';
  const extensions = { code: 'UPSTREAM_BAD_RESPONSE', service: 'payments' };
  const bad = (...path: string[]) => expect.objectContaining({ path, extensions });
  const limits = { maxBytes: 1 << 20 };

  test('with text for a number is an error of this field, if it is selected', async () => {
    const json = { id: 'r1', amount: SECRET, currency: 'EUR' };
    const { ask } = await gatewayBeforeFault({ json }, {});
    const field = 'transaction(id: "faulty")';
    const answer = await ask(
      `{ faulty: ${field} { amount { currency } } other: ${field} { rawId } }`,
    );
    // The schema promises an amount, so the record without one is null.
    expect(answer.data).toEqual({ faulty: null, other: { rawId: 'r1' } });
    expect(answer.errors).toEqual([bad('faulty', 'amount')]);
    expectNoSecret(answer, []);
  });

  test.each([null, { lines: null }, SECRET])(
    'with %j for a list is an error of this field',
    async (json) => {
      const { ask } = await gatewayBeforeFault({ json }, {});
      const answer = await ask(LINES);
      expect(answer.data).toEqual({ merchant: { name: null, lines: null } });
      expect(answer.errors).toEqual([bad('merchant', 'lines')]);
      expectNoSecret(answer, []);
    },
  );

  test('with 10,000 items is cut to what was asked for', async () => {
    const json = Array.from({ length: 10_000 }, (_, index) => ({ id: `l${index}` }));
    const { ask } = await gatewayBeforeFault({ json }, { limits });
    const { data, errors } = await ask(LINES);
    expect(errors).toBeUndefined();
    const edges = [{ node: { rawId: 'l0' } }, { node: { rawId: 'l1' } }];
    expect(data.merchant.lines).toEqual({ edges });
  });

  test('with `__proto__` changes no other object', async () => {
    const text = '{"id":7,"__proto__":{"polluted":1},"custom":{"__proto__":{"polluted":1},"a":1}}';
    const { ask } = await gatewayBeforeFault({ text }, {});
    const { data } = await ask('{ transaction(id: "faulty") { rawId custom } }');
    expect(data).toMatchObject({ transaction: { rawId: '7', custom: { a: 1 } } });
    expect({}).not.toHaveProperty('polluted');
  });
});

test('a read is repeated no earlier than `Retry-After: 1` asks for', async () => {
  const times = await Promise.all(
    [429, 503].map(async (code) => {
      const arrivals: number[] = [];
      const wait = status(code, { 'retry-after': '1' });
      const answer = inTurn(wait, { text: SOUND_BODY });
      const { ask } = await gatewayBeforeFault((request, response) => {
        arrivals.push(performance.now());
        writeAnswer(answer, request, response);
      }, {});
      expect((await ask(reads.payments.query)).errors).toBeUndefined();
      const [first = 0, second = 0] = arrivals;
      return second - first;
    }),
  );
  expect(Math.min(...times)).toBeGreaterThanOrEqual(1_000);
});
