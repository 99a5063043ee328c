import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { StubAnswer } from '../support/stub-service.ts';
import { found, gatewayBefore, repeating, TRANSACTION } from './support/before-services.ts';

const BODY = JSON.stringify({ query: TRANSACTION });
const HEAD = `POST /graphql HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer any-key\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n`;
const REJECTED = /^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*"code":"OVERLOADED"/;
const ANSWERED = /^HTTP\/1.1 200 /;

/** A gateway that takes so many requests, whose reads of a transaction are answered by the test. */
async function busyGateway(inFlight: number) {
  const held: ServerResponse[] = [];
  let notice = () => {};
  const hold: StubAnswer = (_request, response) => {
    held.push(response);
    notice();
  };
  const gateway = await gatewayBefore(
    { 'GET /transactions/t1': hold, 'GET /transactions/t2': hold },
    { resilience: repeating },
    { load: { inFlight, loopDelayMs: 3_600_000 } },
  );
  const release = () => {
    for (const response of held.splice(0)) response.end(JSON.stringify(found.json));
  };
  /** Resolves when so many reads wait. */
  const whenHeld = async (count: number) => {
    while (held.length < count) {
      await new Promise<void>((resolve) => {
        notice = resolve;
      });
    }
  };
  // Otherwise a test that fails would wait for them.
  onTestFinished(release);
  const { port, hostname } = new URL(gateway.url);
  return {
    ...gateway,
    open: () => {
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      return socket;
    },
    whenHeld,
    release,
    /** Sends the body of a request that was announced. */
    expectAnswer: async (socket: Socket) => {
      socket.write(BODY);
      await whenHeld(1);
      release();
      expect(await next(socket)).toMatch(ANSWERED);
    },
  };
}

/** Sends the head of a request. Resolves when the gateway has read it, and asks for the body. */
async function announce(socket: Socket): Promise<Socket> {
  socket.write(`${HEAD}expect: 100-continue\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  return socket;
}

/** What a client receives next. */
async function next(socket: Socket): Promise<string> {
  const [answer] = await once(socket, 'data');
  return String(answer);
}

test('while too many requests run, another one is rejected before its body is read', async () => {
  const { open, whenHeld, release, url } = await busyGateway(1);
  const running = open();
  running.write(`${HEAD}\r\n${BODY}`);
  await whenHeld(1);
  const rejected = open();
  rejected.write(`${HEAD}\r\n`);
  expect(await next(rejected)).toMatch(REJECTED);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  release();
  expect(await next(running)).toMatch(ANSWERED);
  // Its place is free again.
  running.write(`${HEAD}\r\n${BODY}`);
  await whenHeld(1);
  release();
  expect(await next(running)).toMatch(ANSWERED);
});

test('a request that has arrived while too many others run is rejected', async () => {
  const { open, whenHeld, release, payments } = await busyGateway(2);
  const late = await announce(open());
  for (const [index, id] of ['t1', 't2'].entries()) {
    open().write(`${HEAD}\r\n${BODY.replace('t1', id)}`);
    await whenHeld(index + 1);
  }
  late.write(BODY);
  expect(await next(late)).toMatch(REJECTED);
  expect(payments.requests.filter((request) => request.includes('/transactions/'))).toHaveLength(2);
  release();
});

test('clients that do not send their bodies do not keep out others', async () => {
  const { open, whenHeld, release, expectAnswer } = await busyGateway(2);
  const [first, second] = [await announce(open()), await announce(open())];
  const running = open();
  running.write(`${HEAD}\r\n${BODY}`);
  // The one that has been arriving longest is rejected in favor of the next one.
  expect(await next(first)).toMatch(REJECTED);
  await whenHeld(1);
  release();
  expect(await next(running)).toMatch(ANSWERED);
  await expectAnswer(second);
});

/** Resolves when the gateway has noticed that the client of a request is gone, by default of the next one. */
function nextGone(after = 0): Promise<void> {
  let count = 0;
  return new Promise((resolve) => {
    const channel = 'http.server.request.start';
    const watch = (message: unknown) => {
      if (count++ < after) return;
      // Node publishes the request before the gateway sees it.
      const { request } = message as { request: IncomingMessage };
      request.once('close', () => setImmediate(resolve));
      unsubscribe(channel, watch);
    };
    subscribe(channel, watch);
  });
}

test('a client that leaves before its body has arrived counts no more', async () => {
  const { open, expectAnswer } = await busyGateway(2);
  const slow = await announce(open());
  for (let i = 0; i < 3; i++) {
    const noticed = nextGone();
    const gone = await announce(open());
    gone.destroy();
    await noticed;
  }
  await expectAnswer(slow);
});

test('a client that leaves counts no more, also if its request is behind one that runs', async () => {
  const { open, whenHeld, release, expectAnswer } = await busyGateway(2);
  const slow = await announce(open());
  for (let i = 0; i < 3; i++) {
    const noticed = nextGone(1);
    const gone = open();
    gone.write(`${HEAD}\r\n${BODY}${HEAD}\r\n`);
    await whenHeld(1);
    gone.destroy();
    await noticed;
    release();
  }
  await expectAnswer(slow);
});

test('a request whose body is not valid counts no more when its connection is closed', async () => {
  const { open, expectAnswer } = await busyGateway(2);
  const slow = await announce(open());
  const invalid = `${HEAD.replace(/content-length.*/, 'transfer-encoding: chunked')}\r\n3\r\nabc\r\nz\r\n`;
  const closed = open();
  closed.write(invalid);
  expect(await next(closed)).toMatch(/^HTTP\/1.1 400 /);
  await once(closed, 'close');
  const another = open();
  another.write(invalid);
  expect(await next(another)).toMatch(/^HTTP\/1.1 400 /);
  await expectAnswer(slow);
});

test('a request that has arrived completely does not count as one that arrives', async () => {
  const { open, expectAnswer } = await busyGateway(1);
  const slow = await announce(open());
  const complete = open();
  complete.write(`${HEAD.replace(/content-length.*\r\n/, '')}\r\n`);
  expect(await next(complete)).toMatch(/^HTTP\/1.1 400 /);
  await expectAnswer(slow);
});
