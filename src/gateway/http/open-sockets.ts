import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server. */
export interface OpenSockets {
  /** Whether no request has arrived on a connection since it was opened. */
  isNew(socket: Socket): boolean;
  /**
   * Closes connections whose clients need no response: idle ones, those on which nothing was
   * sent, and those whose request has not arrived within its time limit since the shutdown began.
   *
   * @param sinceMs how long ago the shutdown began, in milliseconds
   */
  closeUnneeded(sinceMs: number): void;
}

/** How long a request may take to arrive, in milliseconds. */
export interface ArrivalLimits {
  readonly headersMs: number;
  readonly requestMs: number;
}

/** Watches the connections of a server. After `close`, Node itself checks no time limit any more. */
export function watchSockets(server: Server, limits: ArrivalLimits): OpenSockets {
  /** The request that is being answered on each connection. */
  const sockets = new Map<Socket, IncomingMessage | 'NEW' | 'IDLE'>();
  server.on('connection', (socket) => {
    sockets.set(socket, 'NEW');
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    sockets.set(request.socket, request);
    response.once('close', () => {
      if (sockets.get(request.socket) === request) sockets.set(request.socket, 'IDLE');
    });
  });
  return {
    isNew: (socket) => sockets.get(socket) === 'NEW',
    closeUnneeded: (sinceMs) => {
      server.closeIdleConnections();
      for (const [socket, request] of sockets) {
        // A browser opens connections in advance, which Node does not count as idle.
        const isUnused = socket.bytesRead === 0;
        const isLate =
          typeof request === 'string'
            ? sinceMs > limits.headersMs
            : !request.complete && sinceMs > limits.requestMs;
        if (isUnused || isLate) socket.destroy();
      }
    },
  };
}
