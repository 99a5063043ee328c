import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { createAsk } from '../support/ask.ts';
import { patientGateway } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { signal } from './support/faults.ts';
import { movementInput, submit } from './support/money-client.ts';
import { openPglite } from './support/open-stores.ts';
import { type ServiceThread, startServiceThread } from './support/start-service-thread.ts';

const SENDING = 'undici:client:sendHeaders';
const POSTS = 5;
const WRITE_MS = 2_000;
/** How much longer than the limit the event loop is blocked. */
const LATE_MS = 200;

let service: ServiceThread;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  service = await startServiceThread({ holds: POSTS, applies: false });
  gateway = await startGateway({
    services: { usersUrl: service.url, posUrl: service.url, paymentsUrl: service.url },
    store: sendTogether(await openPglite()),
    limits: { ...patientGateway.limits, writeMs: WRITE_MS },
  });
});
afterAll(async () => {
  await gateway?.close();
  await service?.close();
});

/** A store that lets all operations be sent at the same moment. */
function sendTogether(store: OperationStore): OperationStore {
  const together = signal();
  let ready = 0;
  return {
    ...store,
    startSending: async (...args) => {
      const sending = await store.startSending(...args);
      if (++ready === POSTS) together.send();
      await together.sent;
      return sending;
    },
  };
}

test('rejections that arrive while the event loop is blocked are read, however late the time limit is noticed', async () => {
  let sent = 0;
  let blockedMs = 0;
  const onSending = (message: unknown) => {
    if (!isCapture(message) || ++sent !== POSTS) return;
    // As soon as the last POST is written.
    process.nextTick(() => {
      const start = performance.now();
      service.blockUntilAnswered(POSTS);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITE_MS + LATE_MS);
      blockedMs = performance.now() - start;
    });
  };
  subscribe(SENDING, onSending);
  const ask = createAsk(gateway.url, 'key');
  const inputs = Array.from({ length: POSTS }, (_, index) => movementInput(`held-${index}`, 300));
  const capture = () => Promise.all(inputs.map((input) => submit(ask, 'capture', input)));
  const rejection = { __typename: 'RequestError', code: 'UPSTREAM_REJECTED' };
  const rejections = inputs.map(() => expect.objectContaining(rejection));
  expect(await capture()).toEqual(rejections);
  expect(blockedMs).toBeGreaterThan(WRITE_MS);
  expect(await capture()).toEqual(rejections);
  expect(service.posts()).toBe(POSTS);
  unsubscribe(SENDING, onSending);
});

function isCapture(message: unknown): boolean {
  // undici documents the message of this channel.
  const { method, path } = (message as { request: { method: string; path: string } }).request;
  return method === 'POST' && path.endsWith('/captures');
}
