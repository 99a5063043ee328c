import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../gateway/gateway.ts';
import { respondToClientErrors } from '../gateway/http/client-errors.ts';
import { openPort } from '../gateway/http/open-port.ts';
import { watchSockets } from '../gateway/http/open-sockets.ts';
import { type HttpError, sendError } from '../gateway/http/respond.ts';
import { watchReaders } from '../gateway/http/slow-readers.ts';
import type { GatewaySettings } from '../gateway/settings/settings.ts';

/** A gateway with its port open. */
export interface ListeningGateway {
  readonly url: string;
  /** Waits for the running requests, then closes the port and the gateway. */
  close(options?: CloseOptions): Promise<void>;
}

/** How a gateway is closed. */
export interface CloseOptions {
  /**
   * How long requests are still accepted, so that load balancers and clients notice. Default: 0.
   */
  readonly delayMs?: number;
  /**
   * Whether another worker takes over: `/ready` then does not report that the gateway is stopping.
   */
  readonly isReplaced?: boolean;
}

const CLOSE_IDLE_EVERY_MS = 100;
/** How often to check for slow clients. */
const CHECK_EVERY_MS = 1_000;

const EXPECTATION: HttpError = {
  status: 417,
  code: 'BAD_REQUEST',
  message: 'The header Expect must be 100-continue or absent.',
};

/** Rejects with a message that says what to do if the gateway's port cannot be opened. */
export async function checkPort(settings: Pick<GatewaySettings, 'host' | 'port'>): Promise<void> {
  const server = createTcpServer();
  await openPort(server, settings.host, settings.port);
  await new Promise((resolve) => server.close(resolve));
}

/** Opens the gateway's port. If the port is in use, rejects with a message that says what to do. */
export async function listen(
  gateway: Gateway,
  {
    host,
    port,
    connections,
    drain,
  }: Pick<GatewaySettings, 'host' | 'port' | 'connections' | 'drain'>,
): Promise<ListeningGateway> {
  const { maxHeaderBytes, headersMs, requestMs, keepAliveMs } = connections;
  const arrival = { headersMs: Math.min(headersMs, requestMs), requestMs };
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    // The gateway checks the host itself, with an error that says what to change.
    requireHostHeader: false,
    headersTimeout: arrival.headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  });
  const readers = watchReaders(connections);
  const sockets = watchSockets(server, arrival);
  respondToClientErrors(server, sockets, { ...arrival, keepAliveMs, maxHeaderBytes });
  const watched = (handle: RequestListener): RequestListener => {
    const handleInTurn = sockets.inTurn(handle);
    return (request, response) => {
      readers.watch(response);
      handleInTurn(request, response);
    };
  };
  server.on('request', watched(gateway.handle));
  server.on(
    'checkExpectation',
    watched((request, response) => sendError(request, response, EXPECTATION)),
  );
  const url = await openPort(server, host, port);
  return {
    url,
    close: async ({ delayMs = 0, isReplaced = false } = {}) => {
      gateway.drain(isReplaced);
      const closed = new Promise((resolve) => server.once('close', resolve));
      // The other workers get new connections from now on. Unlike the method of HTTP servers, this
      // one does not close connections on which a client may just be sending.
      if (isReplaced) TcpServer.prototype.close.call(server);
      if (delayMs > 0) await sleep(delayMs);
      const began = performance.now();
      const closeUnneeded = () => sockets.closeUnneeded(performance.now() - began);
      const idle = setInterval(closeUnneeded, CLOSE_IDLE_EVERY_MS);
      const late = setTimeout(() => server.closeAllConnections(), drain.maxMs);
      if (!isReplaced) server.close();
      closeUnneeded();
      await closed;
      clearInterval(idle);
      clearTimeout(late);
      readers.stop();
      await gateway.close();
    },
  };
}
