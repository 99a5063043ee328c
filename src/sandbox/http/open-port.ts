import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { within } from '../../within.ts';

/** Handles a request. Resolves when the response has been sent. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A port that accepts requests. They wait until {@link OpenPort.serve} says who handles them. */
export interface OpenPort {
  readonly url: string;
  serve(handler: RequestHandler): void;
  /** Stops accepting requests, and waits a little for those that are being handled. */
  close(): Promise<void>;
}

/**
 * Node itself responds to longer headers with a 431 without a body. This limit is well above
 * MAX_REQUEST_LINE, so that a long request line gets the 414 of the service.
 */
const MAX_HEADERS = 64 * 1024;
const CLOSE_AFTER_MS = 2_000;

const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Opens a port; 0 picks a free one. Rejects with Node's error if it is taken. */
export async function openPort(host: string, port: number): Promise<OpenPort> {
  const { promise: handled, resolve: serve } = Promise.withResolvers<RequestHandler>();
  const active = new Set<Promise<void>>();
  const server = createServer({ maxHeaderSize: MAX_HEADERS }, (request, response) => {
    const work = handled.then((handler) => handler(request, response));
    active.add(work);
    void work.finally(() => active.delete(work));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { url: urlOf(server), serve, close: () => close(server, active) };
}

function urlOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no TCP port');
  // A server for all addresses is also reached at the one of this machine.
  const address = EVERY_ADDRESS[bound.address] ?? bound.address;
  const host = bound.family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${bound.port}`;
}

async function close(server: Server, active: ReadonlySet<Promise<void>>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A client that keeps its connection busy must not keep the program running.
  await within(Promise.allSettled(active), CLOSE_AFTER_MS, () => {});
  server.closeAllConnections();
  await closed;
}
