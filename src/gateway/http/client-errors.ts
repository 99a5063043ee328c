import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** What {@link answerClientErrors} depends on. */
export interface ClientErrorOptions {
  /** Time limit for the headers of a request, in milliseconds. */
  readonly headersMs: number;
  /** How long a connection is kept on which no request arrives, in milliseconds. */
  readonly keepAliveMs: number;
  /** Whether no request has arrived on a connection since it was opened. */
  readonly isNew: (socket: Socket) => boolean;
}

/** A connection with the response that is being sent, which Node keeps there for the same purpose. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const STATUSES = new Map([
  [TIMEOUT, 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
]);

/**
 * Answers what is not a complete request, as Node does, and closes the connection. Only connections
 * on which nothing was sent are different: browsers open them in advance, and clients have them if a
 * request was aborted early. Node answers them with 408 after the time limit for headers, which a
 * client that is just sending its first request takes for the response. They are kept as long as
 * other connections on which no request arrives.
 */
export function answerClientErrors(
  server: Server,
  { headersMs, keepAliveMs, isNew }: ClientErrorOptions,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    if (error.code === TIMEOUT && socket.bytesRead === 0) {
      const closeUnused = () => {
        if (isNew(socket)) socket.destroy();
      };
      const timer = setTimeout(closeUnused, Math.max(0, keepAliveMs - headersMs)).unref();
      // Otherwise the timer would keep a connection in memory that its client has closed.
      socket.once('close', () => clearTimeout(timer));
      return;
    }
    // Not in the middle of a response.
    if (socket.writable && socket._httpMessage?.headersSent !== true) {
      const status = STATUSES.get(error.code ?? '') ?? 400;
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy(error);
  });
}
