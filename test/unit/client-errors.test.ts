import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { answerClientErrors } from '../../src/gateway/http/client-errors.ts';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  answerClientErrors(server, { headersMs: 10_000, keepAliveMs: 65_000, isNew: () => false });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, socket: connect(port, '127.0.0.1') };
}

test.each([
  ['the next request', 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['its body', 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n'],
])('an error in %s is not written into a response that is being sent', async (_where, sent) => {
  const { server, socket } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('the beginning');
  });
  socket.write(sent);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.endsWith('the beginning')) socket.write('nonsense\r\n\r\n');
  }
  expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*the beginning$/);
  server.close();
});

test('an error of the client is not the response to an earlier request that still runs', async () => {
  const { server, socket } = await serve(() => socket.write('nonsense\r\n\r\n'));
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toBe('');
  server.close();
});
