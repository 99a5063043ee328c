import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, request } from 'undici';

/** A complete answer of the service behind the proxy. */
export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/**
 * Handles one request. `forward` sends it to the service and returns the complete answer.
 * A fault that does not call it loses the request.
 */
export type Fault = (
  forward: () => Promise<Answered>,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>;

/** A proxy in front of a service. A test controls what it does with requests and answers. */
export interface FaultProxy {
  readonly url: string;
  /** `METHOD /path` of every request that arrived. */
  readonly requests: string[];
  /** `METHOD /path` of every request that was forwarded to the service. */
  readonly forwarded: string[];
  /** Called with every request before its body is read. */
  onArrival: ((request: IncomingMessage) => void) | undefined;
  /** Handles writes from now on; `undefined` forwards them. */
  onWrite: Fault | undefined;
  /** Handles reads from now on; `undefined` forwards them. */
  onRead: Fault | undefined;
  /** Refuses new connections until `accept`. Answers that have begun still arrive. */
  refuse(): void;
  accept(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a service. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const requests: string[] = [];
  const forwarded: string[] = [];
  const nothing = { onArrival: undefined, onWrite: undefined, onRead: undefined };
  const proxy: Omit<FaultProxy, 'url' | 'refuse' | 'accept' | 'close'> = {
    requests,
    forwarded,
    ...nothing,
  };
  const server = createServer(async (request, response) => {
    const name = `${request.method} ${request.url}`;
    requests.push(name);
    proxy.onArrival?.(request);
    const body = await readBody(request);
    // The sender disconnected before its last byte.
    if (body === undefined) return;
    const forward = () => {
      forwarded.push(name);
      return send(target, request, body);
    };
    const fault = request.method === 'GET' ? proxy.onRead : proxy.onWrite;
    await (fault ?? passOn)(forward, response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}`,
    refuse: () => void server.close(),
    accept: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/** Forwards the request and the answer. */
export const passOn: Fault = async (forward, response) => {
  const { status, type, body } = await forward();
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  response.end(body);
};

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

async function send(target: string, received: IncomingMessage, body: Buffer): Promise<Answered> {
  const { authorization = '', 'content-type': contentType } = received.headers;
  const answer = await request(`${target}${received.url}`, {
    // The service decides which methods there are.
    method: received.method as Dispatcher.HttpMethod,
    headers: { authorization, ...(contentType ? { 'content-type': contentType } : {}) },
    body: body.length === 0 ? null : body,
    // An idle connection could be closed before it is used again, if the process was busy.
    reset: true,
  });
  return {
    status: answer.statusCode,
    // A service of the project names the type once.
    type: (answer.headers['content-type'] as string | undefined) ?? 'application/json',
    body: Buffer.from(await answer.body.arrayBuffer()),
  };
}

/** An answer as bytes, to send only a part of them. */
export function toBytes({ status, type, body }: Answered): Buffer {
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
