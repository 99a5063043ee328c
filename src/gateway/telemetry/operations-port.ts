import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { checkHost, defaultHosts } from '../http/hosts.ts';
import { openPort } from '../http/open-port.ts';

/** A response of the operations port. */
export interface OperationsAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What the operations port responds with, by path. */
export type OperationsPaths = Readonly<
  Record<string, () => OperationsAnswer | Promise<OperationsAnswer>>
>;

/** An open operations port. */
export interface OperationsPort {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the port that operators and their programs read from. It accepts no input. */
export async function openOperationsPort(
  { host, port }: { readonly host: string; readonly port: number },
  paths: OperationsPaths,
  onBug: (error: unknown) => void,
): Promise<OperationsPort> {
  const allowed = defaultHosts(host);
  const server = createServer((request, response) => {
    const rejected = checkHost(request.headers.host, allowed);
    void (rejected === undefined
      ? answer(request, response, paths, onBug)
      : send(request, response, text(rejected.status, rejected.message)));
  });
  // A worker that replaces another one opens the port before the other one closes it.
  const url = await openPort(server, host, port, 'OPERATIONS_');
  return {
    url,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  paths: OperationsPaths,
  onBug: (error: unknown) => void,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const read = Object.hasOwn(paths, path) ? paths[path] : undefined;
  if (read === undefined) {
    const known = Object.keys(paths).join(', ');
    return send(request, response, text(404, `There is nothing at this path. Read ${known}.`));
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return send(request, response, text(405, 'Use GET.'));
  }
  try {
    send(request, response, await read());
  } catch (error) {
    onBug(error);
    send(request, response, text(500, 'Unexpected error.'));
  }
}

function text(status: number, message: string): OperationsAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${message}\n` };
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, type, body }: OperationsAnswer,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(method === 'HEAD' ? undefined : body);
}
