import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server. */
export interface OpenSockets {
  /**
   * Wraps a listener so that the requests of each connection are handled one after the other, each
   * when the response to the previous one was sent. A response that waits for another one has no
   * events, so if the client disconnected, what its request holds would not be released.
   */
  inTurn(handle: RequestListener): RequestListener;
  /** The response to the latest request on a connection, unless it has ended. */
  latest(socket: Socket): ServerResponse | undefined;
  /** Whether no request has arrived on a connection since it was opened. */
  isNew(socket: Socket): boolean;
  /**
   * Closes connections whose clients need no response: idle ones, those on which nothing was sent,
   * and those whose request has not arrived within its time limit since the shutdown started.
   *
   * @param sinceMs how long ago the shutdown started, in milliseconds
   */
  closeUnneeded(sinceMs: number): void;
}

/** How long a request may take to arrive, in milliseconds. */
export interface ArrivalLimits {
  readonly headersMs: number;
  readonly requestMs: number;
}

/** Maximum requests of a connection, like `maxRequestsPerSocket`, but also with HTTP/1.0. */
const MAX_REQUESTS = 1_000;
/** Maximum waiting requests of a connection. Each takes memory. */
const MAX_WAITING = 100;

/** A request whose response has not ended. */
interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: RequestListener;
}

interface OpenSocket {
  /** In the order of the requests. The first one is being handled. */
  readonly turns: Turn[];
  /** Number of requests that arrived. */
  count: number;
}

/** Watches the connections of a server. After `close`, Node itself no longer checks time limits. */
export function watchSockets(server: Server, limits: ArrivalLimits): OpenSockets {
  const sockets = new Map<Socket, OpenSocket>();
  server.on('connection', (socket) => {
    sockets.set(socket, { turns: [], count: 0 });
    socket.once('close', () => sockets.delete(socket));
  });

  function begin(open: OpenSocket, { request, response, handle }: Turn): void {
    response.once('close', () => {
      open.turns.shift();
      const [next] = open.turns;
      // The response may have closed the connection. The next request may already have a response,
      // because its body was not valid.
      if (next === undefined || !request.socket.writable || next.response.headersSent) return;
      begin(open, next);
    });
    handle(request, response);
  }

  return {
    inTurn: (handle) => (request, response) => {
      const { socket } = request;
      const open = sockets.get(socket);
      if (open === undefined) return;
      open.count++;
      if (open.count === MAX_REQUESTS) response.setHeader('connection', 'close');
      const turn = { request, response, handle };
      open.turns.push(turn);
      if (open.turns.length === 1) begin(open, turn);
      else if (open.turns.length > MAX_WAITING) socket.destroy();
    },
    latest: (socket) => sockets.get(socket)?.turns.at(-1)?.response,
    isNew: (socket) => sockets.get(socket)?.count === 0,
    closeUnneeded: (sinceMs) => {
      server.closeIdleConnections();
      for (const [socket, { turns }] of sockets) {
        const latest = turns.at(-1);
        // Browsers open connections in advance, which Node does not count as idle.
        const isUnused = socket.bytesRead === 0;
        const isLate =
          latest === undefined
            ? sinceMs > limits.headersMs
            : !latest.request.complete && sinceMs > limits.requestMs;
        if (isUnused || isLate) socket.destroy();
      }
    },
  };
}
