import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { respondToClientErrors } from '../../src/gateway/http/client-errors.ts';
import { watchSockets } from '../../src/gateway/http/open-sockets.ts';
import { sendError } from '../../src/gateway/http/respond.ts';

async function serve(listener: RequestListener) {
  const server = createServer();
  const sockets = watchSockets(server, { headersMs: 10_000, requestMs: 15_000 });
  server.on('request', sockets.inTurn(listener));
  respondToClientErrors(server, sockets, {
    headersMs: 10_000,
    keepAliveMs: 65_000,
    maxHeaderBytes: 16_384,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, socket: connect(port, '127.0.0.1') };
}

test.each([
  ['the next request', 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['its body', 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n'],
])('an error in %s is not written into a response that is being sent', async (_where, sent) => {
  const { server, socket } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '8' }).write('half');
    server.once('clientError', () => response.end('rest'));
  });
  socket.write(sent);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.endsWith('half')) socket.write('nonsense\r\n\r\n');
  }
  expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\nhalfrest$/);
  server.close();
});

test('an error of the client does not replace the responses to earlier requests', async () => {
  let first: ServerResponse | undefined;
  const { server, socket } = await serve((_request, response) => {
    if (first === undefined) first = response;
    else response.end('1');
  });
  server.once('clientError', () => first?.end('0'));
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2));
  socket.write('nonsense\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer.match(/HTTP\/1.1 .*/g)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
  expect(answer).toMatch(/connection: close\r\n[\s\S]*\r\n\r\n1$/i);
  server.close();
});

test('an error in a body is sent after the response to an earlier request', async () => {
  let first: ServerResponse | undefined;
  let handled = 0;
  const { server, socket } = await serve((_request, response) => {
    handled++;
    first ??= response;
  });
  server.once('clientError', () => first?.end('1'));
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nz\r\n');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(handled).toBe(1);
  server.close();
});

test('while a request waits for an earlier response, its body is not read', async () => {
  let first: ServerResponse | undefined;
  let read = 0;
  const { server, socket } = await serve(async (request, response) => {
    if (first !== undefined) {
      sendError(request, response, { status: 404, code: 'NOT_FOUND', message: '' });
      return;
    }
    first = response;
    for (let turns = 0; turns < 1_000; turns++) {
      if (request.socket.bytesRead > read) turns = 0;
      read = request.socket.bytesRead;
      await new Promise(setImmediate);
    }
    first.end('1');
  });
  // Less than what is discarded after the response.
  const size = 15 * 1_048_576;
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${size}\r\n\r\n`);
  socket.write('x'.repeat(size));
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(read).toBeLessThan(4 * 1_048_576);
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  server.close();
});

const GET = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

test('a connection is closed if too many requests wait for an earlier response', async () => {
  let handled = 0;
  const { server, socket } = await serve(() => {
    handled++;
  });
  socket.on('error', () => {});
  socket.write(GET.repeat(102));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(handled).toBe(1);
  server.close();
});

test('the requests of a connection are handled one after the other', async () => {
  let running = 0;
  const { server, socket } = await serve((_request, response) => {
    expect(++running).toBe(1);
    setImmediate(() => {
      running--;
      response.end('1');
    });
  });
  socket.write(GET.repeat(50));
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.match(/HTTP\/1.1 200/g)?.length === 50) break;
  }
  server.close();
});

test('a request is not handled if the client has disconnected before its turn', async () => {
  let handled = 0;
  let notice = () => {};
  const noticed = new Promise<void>((resolve) => {
    notice = resolve;
  });
  const { server, socket } = await serve((request) => {
    handled++;
    request.socket.once('close', () => setImmediate(notice));
    socket.resetAndDestroy();
  });
  socket.write(GET.repeat(2));
  await noticed;
  expect(handled).toBe(1);
  server.close();
});

test.each(['1.0', '1.1'])('a connection takes 1,000 requests of HTTP/%s', async (version) => {
  let handled = 0;
  const { server, socket } = await serve((_request, response) => {
    handled++;
    response.setHeader('content-length', 0).end();
  });
  const get = `GET / HTTP/${version}\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n`;
  let answer = '';
  let sent = 1;
  socket.write(get);
  for await (const chunk of socket) {
    answer += chunk;
    for (; sent <= handled; sent++) socket.write(get);
  }
  expect(handled).toBe(1_000);
  expect(answer.match(/connection: close/gi)).toHaveLength(1);
  server.close();
});
