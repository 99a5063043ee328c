import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { boundRest } from './rest-of-request.ts';

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
  /** Connections that are being closed, with what to call when their clients send more. */
  const closing = new WeakMap<Socket, () => void>();
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
    // The parser reports its error again for each part that follows.
    const onMore = closing.get(socket);
    if (onMore !== undefined) return onMore();
    if (!socket.writable || isAnswering(socket)) return void socket.destroy(error);
    const status = STATUSES.get(error.code ?? '') ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    closing.set(
      socket,
      boundRest(socket, () => socket.destroy(error)),
    );
  });
}

/** Whether a client would take what is sent now for the response to an earlier request, or a part of it. */
function isAnswering({ _httpMessage: response }: Connection): boolean {
  return response != null && (response.headersSent || response.req.complete);
}
