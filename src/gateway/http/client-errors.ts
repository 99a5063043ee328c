import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beginClosing, closeLater, noteMore } from './closing.ts';
import type { OpenSockets } from './open-sockets.ts';
import { type HttpError, sendError, toRawResponse } from './respond.ts';

/** What {@link respondToClientErrors} depends on. */
export interface ClientErrorOptions {
  /** Time limit for the headers of a request, in milliseconds. */
  readonly headersMs: number;
  /** How long an idle connection is kept open, in milliseconds. */
  readonly keepAliveMs: number;
  readonly maxHeaderBytes: number;
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
/** The client closed its side in the middle of a request. */
const END = 'HPE_INVALID_EOF_STATE';

/**
 * Responds to incomplete and malformed requests, and closes the connection. Connections on which
 * nothing was sent get no response: browsers open them in advance, and clients keep them after
 * aborting a request early. A client that is just sending its first request would take it for the
 * response. They are kept as long as other idle connections.
 */
export function respondToClientErrors(
  server: Server,
  sockets: Pick<OpenSockets, 'isNew' | 'latest'>,
  { headersMs, keepAliveMs, maxHeaderBytes }: ClientErrorOptions,
): void {
  const toError = createToError(maxHeaderBytes);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === TIMEOUT && socket.bytesRead === 0) {
      const closeUnused = () => {
        if (sockets.isNew(socket)) socket.destroy();
      };
      const timer = setTimeout(closeUnused, Math.max(0, keepAliveMs - headersMs)).unref();
      // Otherwise the timer would keep a closed connection in memory.
      socket.once('close', () => clearTimeout(timer));
      return;
    }
    // The parser reports its error again for each part that follows.
    if (noteMore(socket)) return;
    if (!socket.writable) return void socket.destroy(error);
    const latest = sockets.latest(socket);
    if (latest !== undefined && isResponding(latest)) return closeAfter(latest, socket);
    const httpError = toError(error.code);
    if (error.code === TIMEOUT || error.code === END) {
      if (latest === undefined || latest.socket !== null) socket.write(toRawResponse(httpError));
      // Immediately: while the connection is open, the rest of the request can arrive and be
      // executed.
      return void socket.destroy(error);
    }
    if (latest !== undefined) return sendError(latest.req, latest, httpError);
    beginClosing(socket);
    socket.end(toRawResponse(httpError));
    closeLater(socket, () => socket.destroy());
  });
}

/** Whether a client would take what is sent now for this response, or for part of it. */
function isResponding(response: ServerResponse): boolean {
  return response.headersSent || response.req.complete;
}

/** Closes a connection when its responses have been sent. */
function closeAfter(latest: ServerResponse, socket: Socket): void {
  beginClosing(socket);
  if (!latest.headersSent) latest.setHeader('connection', 'close');
  latest.once('finish', () => socket.destroySoon());
}

function createToError(maxHeaderBytes: number): (code: string | undefined) => HttpError {
  const errors = new Map<string, HttpError>([
    [
      TIMEOUT,
      {
        status: 408,
        code: 'REQUEST_TIMEOUT',
        message: 'The request did not arrive in time. Nothing was done. Send it again.',
      },
    ],
    [
      'HPE_CHUNK_EXTENSIONS_OVERFLOW',
      { status: 413, code: 'BODY_TOO_LARGE', message: 'The chunk extensions are too large.' },
    ],
    [
      'HPE_HEADER_OVERFLOW',
      {
        status: 431,
        code: 'HEADERS_TOO_LARGE',
        message: `The headers must not be larger than ${maxHeaderBytes} bytes.`,
      },
    ],
  ]);
  return (code) => errors.get(code ?? '') ?? NOT_HTTP;
}

const NOT_HTTP: HttpError = {
  status: 400,
  code: 'BAD_REQUEST',
  message: 'The request must be complete and valid HTTP/1.1.',
};
