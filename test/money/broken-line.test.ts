import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { IMPATIENT } from './creation.ts';
import { movements } from './movement.ts';

const CONNECTED = 'undici:client:connected';

let bench: Bench;
/** The connections that the gateway opened. */
const sockets: Socket[] = [];
const connected = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
beforeAll(async () => {
  bench = await startBench(IMPATIENT);
  subscribe(CONNECTED, connected);
});
afterAll(async () => {
  unsubscribe(CONNECTED, connected);
  await bench?.close();
});
beforeEach(() => bench.reset());

/** The service has done it; then the network reports that there is no way, or never was one. */
const breakWith =
  (code: string): Fault =>
  async (forward, _response, request) => {
    await forward();
    const line = sockets.find(({ localPort }) => localPort === request.socket.remotePort);
    line?.destroy(Object.assign(new Error(code), { code, syscall: 'read' }));
  };

const codes = ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'];

test.each(codes)(
  '%s after a movement has left does not prove that it was not sent',
  async (code) => {
    const id = await given(bench.stack).transaction(1000);
    bench.proxy.onWrite = breakWith(code);
    const moved = await movements(bench.ask).move('capture', id, 300, newKey());
    expect(moved).toMatchObject({ ended: 'Success', operation: { evidence: 'READ_BACK' } });
    expect(bench.posts()).toBe(1);
  },
);

test.each(codes)('%s after another write has left does not prove it either', async (code) => {
  const { id } = await given(bench.stack).merchant();
  bench.proxy.onWrite = breakWith(code);
  const { data, errors } = await bench.ask(
    `mutation ($input: UpdateMerchantInput!) { updateMerchant(input: $input) { __typename } }`,
    { input: { merchantId: id, name: 'Nordlys' } },
  );
  expect(data).toEqual({ updateMerchant: null });
  expect(errors).toMatchObject([{ extensions: { service: 'payments', outcome: 'UNKNOWN' } }]);
});
