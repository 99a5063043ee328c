import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { answerClientErrors } from '../../src/gateway/http/client-errors.ts';

test('an error of the client is not written into a response that is being sent', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('the beginning');
  });
  answerClientErrors(server, { headersMs: 10_000, keepAliveMs: 65_000, isNew: () => false });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.endsWith('the beginning')) socket.write('nonsense\r\n\r\n');
  }
  expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*the beginning$/);
  server.close();
});
