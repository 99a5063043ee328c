import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createExporter } from '../../src/gateway/observe/otlp-exporter.ts';
import { readVersion } from '../../src/version.ts';

/** A collector that answers as the test says. */
async function startCollector(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const send = (url: string) =>
  createExporter({ url, headers: { 'x-key': 'secret' }, timeoutMs: 60_000 }, () => {}).send('{}');

test('an answer without an end is not read to its end', async () => {
  const url = await startCollector((_request, response) => {
    const write = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  });
  expect(await send(url)).toBe(true);
});

test('it says which program sends, unless the headers of the settings do', async () => {
  const agents: unknown[] = [];
  const url = await startCollector(({ headers }, response) => {
    agents.push(headers['user-agent']);
    response.end();
  });
  await send(url);
  const headers = { 'user-agent': 'ours/1' };
  await createExporter({ url, headers, timeoutMs: 60_000 }, () => {}).send('{}');
  expect(agents).toEqual([`tillgraph/${readVersion()}`, 'ours/1']);
});

test('a redirect to another place is not followed', async () => {
  let isAsked = false;
  const other = await startCollector((_request, response) => {
    isAsked = true;
    response.end();
  });
  const url = await startCollector((_request, response) => {
    response.writeHead(307, { location: other }).end();
  });
  expect(await send(url)).toBe(false);
  expect(isAsked).toBe(false);
});
