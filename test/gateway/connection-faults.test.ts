import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceName } from '../../src/gateway/upstream/rest-error.ts';
import { signal } from '../money/support/faults.ts';
import type { Answer } from '../support/ask.ts';
import { passOn, startFaultProxy } from '../support/fault-proxy.ts';
import { patientGateway } from '../support/patience.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';
import {
  fullBacklog,
  neverReading,
  refusingAddress,
  unknownName,
} from './support/dead-addresses.ts';
import { SOUND_BODY } from './support/faults.ts';
import { gatewayOf, reads, startPayments, startUsers } from './support/faulty-services.ts';
import { expectedOf, verdictOf, type Write, writes } from './support/writes.ts';

// What clients see if a service cannot be connected to, or misuses its connections.

const withoutRepeats = { resilience: patientGateway.upstream.resilience };
const writesOf = (service: ServiceName) => writes.filter((each) => each.service === service);

const moneyWrites = writes.filter(({ kind }) => kind === 'money');
const NOT_SENT = { money: 'NOT_SENT', other: 'UPSTREAM_UNAVAILABLE' };

async function expectNotSent(
  ask: (query: string) => Promise<Answer>,
  wanted: readonly Write[],
): Promise<void> {
  const answers = await Promise.all(wanted.map(({ mutation }) => ask(mutation)));
  const expected = wanted.map((each) => expectedOf(each, NOT_SENT, ''));
  expect(answers.map(verdictOf)).toEqual(expected);
  for (const { data } of answers) {
    expect(data.result.message).toMatch(/nothing was sent|sent nothing/i);
  }
}

describe.each([
  ['that refuses connections', refusingAddress, undefined],
  ['whose name is unknown', unknownName, { getMs: 2_000 }],
  ['that accepts no connection', fullBacklog, { getMs: 2_000 }],
])('a service %s', (_name, startAddress, limits) => {
  test('affects its own fields, and its writes are not sent', async () => {
    const usersUrl = await startAddress();
    const { url } = await startPayments();
    const { ask, bugs } = await gatewayOf({ usersUrl, paymentsUrl: url }, limits, withoutRepeats);
    const message = 'The user-records service is not available.';
    const extensions = { code: 'UPSTREAM_UNAVAILABLE', service: 'users' };
    const read = async () => {
      const { data, errors } = await ask(reads.users.query);
      expect(data).toEqual({ faulty: null, other: reads.users.other });
      expect(errors).toEqual([expect.objectContaining({ message, path: ['faulty'], extensions })]);
    };
    await Promise.all([read(), expectNotSent(ask, writesOf('users'))]);
    expect(bugs).toEqual([]);
  });

  test('blocks user records if it is the one that identifies callers', async () => {
    const paymentsUrl = await startAddress();
    const users = await startUsers();
    const services = { usersUrl: users.url, paymentsUrl };
    const { ask, bugs } = await gatewayOf(services, limits, withoutRepeats);
    const extensions = { code: 'UPSTREAM_UNAVAILABLE', service: 'payments' };
    const read = async () => {
      const { data, errors } = await ask('{ users { edges { cursor } } currencies { code } }');
      expect(data).toEqual({ users: null, currencies: expect.any(Array) });
      expect(errors).toEqual([expect.objectContaining({ path: ['users'], extensions })]);
    };
    await Promise.all([read(), expectNotSent(ask, writes)]);
    expect(users.requests).toEqual([]);
    expect(bugs).toEqual([]);
  });
});

test('a read is repeated up to twice if the connection is refused', async () => {
  const ports: string[] = [];
  // Messages are untyped; undici documents the address on this channel.
  const count = (message: unknown) =>
    ports.push((message as { connectParams: { port: string } }).connectParams.port);
  subscribe('undici:client:connectError', count);
  onTestFinished(() => void unsubscribe('undici:client:connectError', count));
  const { url } = await startPayments();
  const usersUrl = await refusingAddress();
  const { ask } = await gatewayOf({ usersUrl, paymentsUrl: url }, undefined);
  expect((await ask(reads.users.query)).data).toEqual({ faulty: null, other: reads.users.other });
  const { port } = new URL(usersUrl);
  expect(ports.filter((each) => each === port)).toHaveLength(3);
});

test('a service that becomes unreachable does not block the other one for a caller that it has just identified', async () => {
  const payments = await startFaultProxy((await startPayments()).url);
  const users = await startUsers();
  const services = { usersUrl: users.url, paymentsUrl: payments.url };
  const { ask } = await gatewayOf(services, undefined, withoutRepeats);
  await ask(reads.payments.query);
  await payments.close();
  const { data, errors } = await ask(reads.payments.query);
  expect(data).toEqual({ faulty: null, other: reads.payments.other });
  const message = 'The payments service is not available.';
  const extensions = { code: 'UPSTREAM_UNAVAILABLE', service: 'payments' };
  expect(errors).toEqual([expect.objectContaining({ message, path: ['faulty'], extensions })]);
});

test.each(moneyWrites.map((write) => [write.name, write] as const))(
  '%s is not sent if its own connection is refused',
  async (_name, write) => {
    const payments = await startFaultProxy((await startPayments()).url);
    onTestFinished(() => payments.close());
    let count = 0;
    payments.onRead = async (...exchange) => {
      // The first read checks access, and the second one is the last before the write.
      if (++count === 2) payments.refuse();
      await passOn(...exchange);
    };
    const { ask } = await gatewayOf(
      { usersUrl: payments.url, paymentsUrl: payments.url },
      undefined,
    );
    await expectNotSent(ask, [write]);
    expect(count).toBe(2);
    expect(payments.requests.filter((call) => !call.startsWith('GET '))).toEqual([]);
  },
);

describe('a service that accepts connections and never reads from them', () => {
  test('affects its own reads', async () => {
    const { url } = await startPayments();
    const usersUrl = await neverReading();
    const { ask } = await gatewayOf({ usersUrl, paymentsUrl: url }, { getMs: 300 });
    const { data, errors } = await ask(reads.users.query);
    expect(data).toEqual({ faulty: null, other: reads.users.other });
    const extensions = { code: 'UPSTREAM_TIMEOUT', service: 'users' };
    expect(errors).toEqual([expect.objectContaining({ path: ['faulty'], extensions })]);
  });

  test('makes the outcome of a write unknown', async () => {
    const { url } = await startPayments();
    const usersUrl = await neverReading();
    const { ask } = await gatewayOf({ usersUrl, paymentsUrl: url }, { writeMs: 300 });
    const sent = writesOf('users');
    const answers = await Promise.all(sent.map(({ mutation }) => ask(mutation)));
    const expected = sent.map((each) => expectedOf(each, 'UNKNOWN', 'UPSTREAM_TIMEOUT'));
    expect(answers.map(verdictOf)).toEqual(expected);
  });

  test('gets no movement of money, because the transaction cannot be read', async () => {
    const paymentsUrl = await neverReading();
    const users = await startUsers();
    const { ask } = await gatewayOf({ usersUrl: users.url, paymentsUrl }, { getMs: 300 });
    await expectNotSent(ask, moneyWrites);
  });
});

test('writes for which there is no connection and no place in the queue are not sent', async () => {
  const work = signal();
  const users = await startUsers(async (_request, response) => {
    await work.sent;
    response.end(SOUND_BODY);
  });
  const { url } = await startPayments();
  const connections = { ...patientGateway.upstream.connections, writes: 1, queue: 1 };
  const services = { usersUrl: users.url, paymentsUrl: url };
  const { ask } = await gatewayOf(services, undefined, { connections });
  const [write] = writesOf('users');
  if (write === undefined) throw new Error('no write');
  const answers = Array.from({ length: 3 }, () => ask(write.mutation));
  expect(verdictOf(await Promise.race(answers))).toEqual(expectedOf(write, NOT_SENT, ''));
  work.send();
  const results = (await Promise.all(answers)).map(verdictOf);
  const made = expectedOf(write, 'APPLIED', '');
  expect(results.filter((result) => result.__typename === made.__typename)).toHaveLength(2);
  expect(users.requests).toEqual([write.call, write.call]);
});

describe('a connection that the service', () => {
  /** Reads different records one after the other. Returns those that are not what was asked for. */
  async function readMany(count: number, answer: StubAnswer) {
    const answers = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`GET /transactions/t${index}`, answer]),
    );
    const service = await startStubService(answers);
    onTestFinished(() => service.close());
    const { ask } = await gatewayOf({ usersUrl: service.url, paymentsUrl: service.url }, undefined);
    const wrong: Answer[] = [];
    for (let index = 0; index < count; index++) {
      const read = await ask(`{ transaction(id: "t${index}") { rawId } }`);
      if (read.data.transaction?.rawId !== `t${index}`) wrong.push(read);
    }
    return wrong;
  }
  const own = ({ url }: IncomingMessage) => `{"id":"${url?.split('/').at(-1)}"}`;

  test('closes when it is idle causes no error', async () => {
    const closing: StubAnswer = (request, response) => {
      response.on('finish', () => setImmediate(() => request.socket.destroy()));
      response.end(own(request));
    };
    expect(await readMany(200, closing)).toEqual([]);
  });

  test('answers twice never gives the second answer to another caller', async () => {
    const body = '{"id":"stray"}';
    const stray = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const twice: StubAnswer = (request, response) => {
      response.on('finish', () => request.socket.write(stray));
      response.end(own(request));
    };
    expect(await readMany(100, twice)).toEqual([]);
  });
});
