import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Fault,
  type FaultProxy,
  passOn,
  startFaultProxy,
  toBytes,
  unanswered,
} from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { shortWrites } from '../support/patience.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { IMPATIENT } from './creation.ts';
import { type Movement, movements } from './movement.ts';

let stack: Stack;
let proxy: FaultProxy;
let gateway: Awaited<ReturnType<typeof startGateway>>;
/** For a write that is never answered. */
let hasty: typeof gateway;
beforeAll(async () => {
  stack = await startStack();
  proxy = await startFaultProxy(stack.sandbox.paymentsUrl);
  const { usersUrl, posUrl } = stack.sandbox;
  const services = { usersUrl, posUrl, paymentsUrl: proxy.url };
  gateway = await startGateway({ ...IMPATIENT, services });
  hasty = await startGateway({ ...IMPATIENT, ...shortWrites, services });
});
afterAll(async () => {
  await gateway?.close();
  await hasty?.close();
  await proxy?.close();
  await stack?.close();
});
beforeEach(() => {
  proxy.onWrite = undefined;
  proxy.onRead = undefined;
  proxy.requests.length = 0;
});

const money = (through = gateway) =>
  movements((query, variables) => through.ask(query, variables, stack.sandbox.demoApp.key));

/** A transaction of 1000 with something to move, made past the proxy. */
async function prepare(movement: Movement): Promise<string> {
  const id = await given(stack).transaction(1000);
  if (movement === 'refund') await movements(stack.ask).move('capture', id, 1000, newKey());
  return id;
}

async function entriesOf(movement: Movement, id: string): Promise<number[]> {
  const trail = await movements(stack.ask).trail(id);
  return trail.filter(({ kind }) => kind === movement).map(({ amount }) => amount);
}

const posts = () => proxy.requests.filter((request) => request.startsWith('POST')).length;

/** The service has done it; the answer's bytes go as far as `cut` says, then the line breaks. */
const cutAt =
  (cut: (bytes: Buffer) => number): Fault =>
  async (forward, { socket }) => {
    const bytes = toBytes(await forward());
    socket?.end(bytes.subarray(0, cut(bytes)));
  };

/** The service has done it; something else is answered. */
const instead =
  (status: number, type: string, body: string): Fault =>
  async (forward, response) => {
    await forward();
    response.writeHead(status, { 'content-type': type }).end(body);
  };

/** The service has done it; other bytes come before its answer. */
const after =
  (bytes: string): Fault =>
  async (forward, { socket }) => {
    const answer = toBytes(await forward());
    socket?.write(bytes);
    socket?.end(answer);
  };

const applied: [string, Fault, 'ANSWERED' | 'READ_BACK'][] = [
  ['arrives', passOn, 'ANSWERED'],
  ['is dropped', cutAt(() => 0), 'READ_BACK'],
  ['breaks off in its headers', cutAt(() => 20), 'READ_BACK'],
  ['breaks off after its headers', cutAt((bytes) => bytes.indexOf('\r\n\r\n') + 4), 'READ_BACK'],
  ['breaks off in the middle', cutAt((bytes) => Math.floor(bytes.length * 0.8)), 'READ_BACK'],
  ['lacks its last byte', cutAt((bytes) => bytes.length - 1), 'READ_BACK'],
  [
    'comes twice',
    async (forward, { socket }) => {
      const bytes = toBytes(await forward());
      socket?.end(Buffer.concat([bytes, bytes]));
    },
    'ANSWERED',
  ],
  ['follows a 103', after('HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'), 'ANSWERED'],
  // Nobody asked to go on; the client takes it for a broken answer.
  ['follows a 100', after('HTTP/1.1 100 Continue\r\n\r\n'), 'READ_BACK'],
  ['is no JSON', instead(201, 'application/json', '{"transaction": {'), 'READ_BACK'],
  ['is HTML', instead(200, 'text/html', '<html>welcome</html>'), 'READ_BACK'],
  ['is empty', instead(204, 'application/json', ''), 'ANSWERED'],
  ['is a 502 of somebody between', instead(502, 'text/html', '<html>bad gateway'), 'READ_BACK'],
  ['is a 408', instead(408, 'application/json', '{}'), 'READ_BACK'],
];

describe.each<Movement>(['capture', 'refund', 'void'])('a %s whose answer', (movement) => {
  async function happensOnce(fault: Fault, evidence: string, through = gateway): Promise<void> {
    const id = await prepare(movement);
    const key = newKey();
    proxy.onWrite = fault;
    const first = await money(through).move(movement, id, 300, key);
    proxy.onWrite = undefined;
    const again = await money(through).move(movement, id, 300, key);
    const operation = { status: 'SUCCEEDED', evidence, advice: null };
    expect(first).toMatchObject({ ended: 'Success', operation: { ...operation, replayed: false } });
    expect(again).toMatchObject({ ended: 'Success', operation: { ...operation, replayed: true } });
    expect(first.entry).toEqual(again.entry);
    expect(first.entry.amount.minorUnits).toBe(300);
    expect(posts()).toBe(1);
    expect(await entriesOf(movement, id)).toEqual([300]);
  }

  test.each(applied)('%s has happened, once', async (_what, fault, evidence) => {
    await happensOnce(fault, evidence);
  });

  test('comes too late has happened, once', async () => {
    await happensOnce(unanswered(proxy), 'READ_BACK', hasty);
  });

  test('cannot be read back for now is unknown, and known later', async () => {
    const id = await prepare(movement);
    const key = newKey();
    proxy.onWrite = cutAt(() => 0);
    const reads = { left: 2 };
    proxy.onRead = async (forward, response, request) => {
      if (reads.left-- > 0) await passOn(forward, response, request);
      else response.destroy();
    };
    const first = await money().move(movement, id, 300, key);
    expect(first).toMatchObject({
      ended: 'OutcomeUnknownError',
      code: 'OUTCOME_UNKNOWN',
      operation: { status: 'UNKNOWN', evidence: null, advice: 'RETRY_SAME_KEY' },
    });
    expect(await money().move(movement, id, 300, key)).toMatchObject({
      ended: 'RequestError',
      code: 'NOT_SENT',
      message: expect.stringContaining(
        'An earlier request with this idempotency key may have been applied',
      ),
    });
    proxy.onRead = undefined;
    expect(await money().move(movement, id, 300, key)).toMatchObject({
      ended: 'Success',
      operation: { evidence: 'READ_BACK', replayed: true },
    });
    expect(posts()).toBe(1);
    expect(await entriesOf(movement, id)).toEqual([300]);
  });
});

const lost: Fault = (_forward, response) => void response.destroy();

describe.each<Movement>(['capture', 'refund', 'void'])(
  'a %s that was lost on its way',
  (movement) => {
    test('stays unknown when it is partial, and blocks nothing but its transaction', async () => {
      const id = await prepare(movement);
      const key = newKey();
      proxy.onWrite = lost;
      await money().move(movement, id, 300, key);
      proxy.onWrite = undefined;
      const again = await money().move(movement, id, 300, key);
      expect(again).toMatchObject({
        ended: 'OutcomeUnknownError',
        operation: { status: 'UNKNOWN' },
      });
      expect(await money().move(movement, id, 10, newKey())).toMatchObject({
        code: 'TRANSACTION_BUSY',
        message: expect.stringContaining(key),
      });
      const other = await prepare(movement);
      expect(await money().move(movement, other, 10, newKey())).toMatchObject({ ended: 'Success' });
      expect(posts()).toBe(2);
      expect(await entriesOf(movement, id)).toEqual([]);
    });

    test('is sent again when it is whole and its caller repeats it, and happens once', async () => {
      const id = await prepare(movement);
      const key = newKey();
      proxy.onWrite = lost;
      await money().move(movement, id, 1000, key);
      proxy.onWrite = undefined;
      expect(await money().find(id, key)).toMatchObject({ status: 'UNKNOWN' });
      expect(posts()).toBe(1);
      expect(await money().move(movement, id, 1000, key)).toMatchObject({
        ended: 'Success',
        operation: { status: 'SUCCEEDED', replayed: false },
      });
      expect(posts()).toBe(2);
      expect(await entriesOf(movement, id)).toEqual([1000]);
    });

    test('and comes late, after a second one, still happens once', async () => {
      const id = await prepare(movement);
      const key = newKey();
      let late: (() => Promise<unknown>) | undefined;
      proxy.onWrite = (forward, response) => {
        late = forward;
        response.destroy();
      };
      await money().move(movement, id, 1000, key);
      proxy.onWrite = async (forward, response, request) => {
        await late?.();
        await passOn(forward, response, request);
      };
      expect(await money().move(movement, id, 1000, key)).toMatchObject({
        ended: 'Success',
        operation: { evidence: 'READ_BACK' },
      });
      expect(posts()).toBe(2);
      expect(await entriesOf(movement, id)).toEqual([1000]);
    });
  },
);
