import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

const CONNECTED = 'undici:client:connected';

let gateway: ProxiedGateway;
/** The connections that gateways have opened. */
const sockets: Socket[] = [];
function addSocket(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  if (message.socket instanceof Socket) sockets.push(message.socket);
}
beforeAll(async () => {
  gateway = await startProxiedGateway();
  subscribe(CONNECTED, addSocket);
});
afterAll(async () => {
  unsubscribe(CONNECTED, addSocket);
  await gateway?.close();
});
beforeEach(() => gateway.reset());

/** The service performs the request; then the connection fails with an error of connecting. */
const breakWith =
  (code: string): Fault =>
  async (forward, _response, request) => {
    await forward();
    // Connections to different ports can have the same port of their own.
    const { remotePort: from, localPort: to } = request.socket;
    const socket = sockets.find((each) => each.localPort === from && each.remotePort === to);
    expect(socket).toBeDefined();
    socket?.destroy(Object.assign(new Error(code), { code, syscall: 'read' }));
  };

const codes = ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'];

test.each(codes)(
  '%s after a capture was sent does not mean NOT_SENT: the gateway finds its effect',
  async (code) => {
    const input = movementInput(await given(gateway.direct).transaction(1000), 300);
    gateway.proxy.onWrite = breakWith(code);
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
      __typename: 'CaptureTransactionSuccess',
      operation: { evidence: 'READ_BACK' },
    });
    expect(gateway.posts()).toBe(1);
  },
);

test.each(codes)('%s after another write was sent makes its outcome unknown', async (code) => {
  const { id } = await given(gateway.direct).merchant();
  gateway.proxy.onWrite = breakWith(code);
  const { data, errors } = await gateway.ask(
    `mutation ($input: UpdateMerchantInput!) { updateMerchant(input: $input) { __typename } }`,
    { input: { merchantId: id, name: 'Nordlys' } },
  );
  expect(data).toEqual({ updateMerchant: null });
  expect(errors).toMatchObject([{ extensions: { service: 'payments', outcome: 'UNKNOWN' } }]);
});
