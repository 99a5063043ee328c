import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long, and how much of it, the rest of a request is read after its response. */
const MAX_MS = 2_000;
const MAX_BYTES = 16 * 1_048_576;

/**
 * Bounds the time in which a client still sends a request that is already answered. A connection
 * must not be closed while it does: the operating system then resets it, and the client fails to
 * send and may lose the response.
 *
 * @param close called when the time is over, or when too much was sent; possibly several times
 * @returns what to call each time after a part was received and discarded
 */
export function boundRest(socket: Socket, close: () => void): () => void {
  const start = socket.bytesRead;
  const timer = setTimeout(close, MAX_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  return () => {
    if (socket.bytesRead - start > MAX_BYTES) close();
  };
}

/** Sends a complete response, and ends it when the rest of its request was received and discarded. */
export function endAfterRest(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): void {
  // The client can read it now, since its head announces its length.
  response.write(body);
  const end = () => response.end();
  request.on('data', boundRest(request.socket, end)).once('close', end);
}
