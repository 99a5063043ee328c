import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of a stub: a status with JSON or text, or a function that writes the response. */
export type StubAnswer =
  | { readonly status?: number; readonly json?: unknown; readonly text?: string }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** A service with scripted answers, for answers that the sandbox never gives. */
export interface StubService {
  readonly url: string;
  /** `METHOD /path?query` of every request that arrived, in order. */
  readonly requests: string[];
  /** The headers of the same requests. */
  readonly headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

/** Starts a stub. `answers` has keys `METHOD /path` without a query; all other requests get 404. */
export async function startStubService(
  answers: Readonly<Record<string, StubAnswer>>,
): Promise<StubService> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    headers.push(request.headers);
    request.resume();
    const answer = answers[`${method} ${url.split('?')[0]}`] ?? { status: 404, json: {} };
    writeAnswer(answer, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    headers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers one request. */
export function writeAnswer(
  answer: StubAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (typeof answer === 'function') {
    answer(request, response);
    return;
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
  response.end(answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json)));
}
