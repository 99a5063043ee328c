import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits on how long, and how much, to read of what a client still sends before its connection is
 * closed.
 */
const MAX_MS = 2_000;
const MAX_BYTES = 16 * 1_048_576;

/** The connections whose input is discarded, with the number of bytes that arrived before. */
const discarded = new WeakMap<Socket, number>();

/**
 * Starts discarding everything that arrives on a connection. {@link noteMore} limits how much that
 * is.
 */
export function beginClosing(socket: Socket): void {
  if (!discarded.has(socket)) discarded.set(socket, socket.bytesRead);
}

/**
 * Call when more arrives. Returns whether it is discarded. Closes the connection immediately if it
 * is too much.
 */
export function noteMore(socket: Socket): boolean {
  const start = discarded.get(socket);
  if (start === undefined) return false;
  if (socket.bytesRead - start > MAX_BYTES) socket.destroy();
  return true;
}

/**
 * Gives a client time to stop sending. If a connection is closed while the client sends, the
 * operating system resets it, and the client may lose the response.
 */
export function closeLater(socket: Socket, close: () => void): void {
  const timer = setTimeout(close, MAX_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Sends a response before its request has arrived completely. Ends it, which closes the connection,
 * when the rest was received and discarded, or after some time.
 */
export function endAfterRest(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): void {
  const { socket } = request;
  beginClosing(socket);
  // The client can read the body now, because the head contains its length.
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  const end = () => response.end();
  const readRest = () => {
    closeLater(socket, end);
    request
      .on('data', () => noteMore(socket))
      .once('close', end)
      .resume();
  };
  if (response.socket !== null) {
    readRest();
  } else {
    // An earlier response on this connection is sent first, which can take any time.
    response.once('socket', readRest);
  }
}

/** The body of a response whose head is complete. */
interface Ready {
  readonly response: ServerResponse;
  readonly text: string;
  readonly encoding: BufferEncoding;
}

/** Ends a response with its body, together with others. */
export type EndLater = (response: ServerResponse, text: string, encoding: BufferEncoding) => void;

/**
 * Responses that become ready in one turn of the event loop are written one after the other at
 * its end. The system wakes a reader that sleeps for each of them if they are written apart, and
 * only once if the next one comes while it still reads. A wake-up costs more than the write.
 */
export function createEndLater(): EndLater {
  let ready: Ready[] = [];

  function endAll(): void {
    const all = ready;
    ready = [];
    for (const { response, text, encoding } of all) response.end(text, encoding);
  }
  return (response, text, encoding) => {
    if (ready.length === 0) setImmediate(endAll);
    ready.push({ response, text, encoding });
  };
}
