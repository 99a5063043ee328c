import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchReaders } from '../../src/gateway/http/slow-readers.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const REQUESTS = 20;
const LONG_MS = 60_000;

test('responses that wait behind another one are freed when their client leaves', async () => {
  const readers = watchReaders({ responseMs: LONG_MS, maxUnreadBytes: 2 ** 30 });
  const responses: WeakRef<ServerResponse>[] = [];
  const server = createServer((request, response) => {
    readers.watch(response);
    responses.push(new WeakRef(response));
    request.resume();
    // All others wait for the first one.
    if (responses.length > 1) response.end('x'.repeat(1_000));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    readers.stop();
    server.close();
  });
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(REQUESTS));
  await vi.waitFor(() => expect(responses).toHaveLength(REQUESTS));
  client.destroy();
  responses[0]?.deref()?.end('x'.repeat(1_000_000));
  const kept = () => {
    collect();
    return responses.filter((response) => response.deref() !== undefined).length;
  };
  await vi.waitFor(() => expect(kept()).toBe(0), { timeout: 10_000, interval: 200 });
});

test('a response that waits behind another one is not late: its client cannot read it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const readers = watchReaders({ responseMs: 100, maxUnreadBytes: 2 ** 30 });
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    readers.watch(response);
    responses.push(response);
    if (responses.length === 2) response.end('second');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    readers.stop();
    server.close();
  });
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(
    'GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  );
  await vi.waitFor(() => expect(responses).toHaveLength(2));
  vi.advanceTimersByTime(10_000);
  responses[0]?.end('first');
  let received = '';
  for await (const chunk of client) received += chunk;
  expect(received).toMatch(/first[\s\S]*second/);
});
