import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createArrivals } from '../../src/gateway/http/arrivals.ts';
import { readBody } from '../../src/gateway/http/read-body.ts';

const MIB = 1_048_576;
const MAX_BYTES = MIB / 4;
const HEAD = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n';
const OVERLOADED = { status: 503, code: 'OVERLOADED', message: 'x' } as const;

/** A server that reads bodies, and a connection to it. */
async function connectToReader(maxBytes: number, onData = (_bytes: number) => {}) {
  const arrivals = createArrivals(10, OVERLOADED);
  const server = createServer((request, response) => {
    void readBody(request, response, maxBytes, arrivals).then((body) => {
      response.end(typeof body === 'string' ? JSON.stringify(body) : 'REJECTED');
    });
    request.on('data', (chunk: Buffer) => onData(chunk.length));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return socket;
}

const toChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

test('a body is the same text in whatever parts it arrives', async () => {
  const cuts = fc.array(fc.nat(40), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), cuts, async (text, cuts) => {
      const bytes = Buffer.from(text);
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length];
      ends.sort((a, b) => a - b);
      const parts = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      const socket = await connectToReader(bytes.length);
      const chunks = parts.filter(({ length }) => length > 0).map(toChunk);
      socket.end(Buffer.concat([Buffer.from(HEAD), ...chunks, Buffer.from('0\r\n\r\n')]));
      let answer = '';
      for await (const part of socket) answer += part;
      expect(answer).toContain(`\r\n\r\n${JSON.stringify(text)}`);
    }),
    { numRuns: 30 },
  );
});

/** The memory of this process after a garbage collection, in bytes. */
function measureMemory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a body of many small parts takes no more memory than a few times its size', async () => {
  const count = MAX_BYTES / 2;
  let received = 0;
  let notice = () => {};
  const all = new Promise<void>((resolve) => {
    notice = resolve;
  });
  const socket = await connectToReader(MAX_BYTES, (bytes) => {
    received += bytes;
    if (received === count) notice();
  });
  const text = `${HEAD}${'1\r\nx\r\n'.repeat(count)}`;
  const before = measureMemory();
  socket.write(text);
  await all;
  expect(measureMemory() - before).toBeLessThan(8 * MIB);
});
