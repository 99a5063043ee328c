import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server. */
export interface OpenSockets {
  /** Adds the response to a request that has arrived, or is arriving. */
  add(response: ServerResponse): void;
  /** The response to the latest request on a connection, unless it has ended. */
  latest(socket: Socket): ServerResponse | undefined;
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
  const sockets = new Map<Socket, ServerResponse | 'NEW' | 'IDLE'>();
  server.on('connection', (socket) => {
    sockets.set(socket, 'NEW');
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    add: (response) => {
      const { socket } = response.req;
      sockets.set(socket, response);
      response.once('close', () => {
        if (sockets.get(socket) === response) sockets.set(socket, 'IDLE');
      });
    },
    latest: (socket) => {
      const response = sockets.get(socket);
      return typeof response === 'string' ? undefined : response;
    },
    isNew: (socket) => sockets.get(socket) === 'NEW',
    closeUnneeded: (sinceMs) => {
      server.closeIdleConnections();
      for (const [socket, response] of sockets) {
        // A browser opens connections in advance, which Node does not count as idle.
        const isUnused = socket.bytesRead === 0;
        const isLate =
          typeof response === 'string'
            ? sinceMs > limits.headersMs
            : !response.req.complete && sinceMs > limits.requestMs;
        if (isUnused || isLate) socket.destroy();
      }
    },
  };
}
