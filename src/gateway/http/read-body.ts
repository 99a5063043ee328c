import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrivals } from './arrivals.ts';
import type { HttpError } from './respond.ts';

/** The client disconnected, so no response is needed. */
export const GONE = Symbol('gone');

const NONE = Buffer.alloc(0);

/** A body, or why there is none. */
export type Body = string | HttpError | typeof GONE;

/**
 * Reads the body of a request. Counts its size while reading, and never keeps more than the limit.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  arrivals: Arrivals,
): Promise<Body> {
  const tooLarge = (): HttpError => ({
    status: 413,
    code: 'BODY_TOO_LARGE',
    message: `The body must not be larger than ${maxBytes} bytes.`,
  });
  return new Promise((resolve) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return resolve(tooLarge());
    let bytes: Buffer = NONE;
    let length = 0;
    let isDone = false;
    let leave = () => {};
    const finish = (body: Body) => {
      // Resolving a promise again would be slow.
      if (isDone) return;
      isDone = true;
      leave();
      bytes = NONE;
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      if (isDone) return;
      if (length + chunk.length > maxBytes) return finish(tooLarge());
      bytes = append(bytes, length, chunk, maxBytes);
      length += chunk.length;
    });
    request.on('end', () => finish(toText(bytes.subarray(0, length))));
    // Most requests have arrived completely by then.
    process.nextTick(() => {
      if (isDone || request.complete) return;
      leave = arrivals.add(finish);
      // The client disconnected, or already got a response because the rest of the request is not
      // valid.
      response.once('close', () => finish(GONE));
    });
  });
}

/**
 * Appends a chunk after the first `length` bytes. Chunks are not kept separately: each would take
 * hundreds of bytes of memory, however small it is.
 */
function append(bytes: Buffer, length: number, chunk: Buffer, maxBytes: number): Buffer {
  if (length === 0) return chunk;
  const needed = length + chunk.length;
  // Never the first chunk itself, which has no free space.
  let target = bytes;
  if (needed > bytes.length) {
    target = Buffer.allocUnsafe(Math.max(needed, Math.min(2 * bytes.length, maxBytes)));
    bytes.copy(target, 0, 0, length);
  }
  chunk.copy(target, length);
  return target;
}

function toText(bytes: Buffer): string | HttpError {
  if (!isUtf8(bytes)) {
    return { status: 400, code: 'BAD_REQUEST', message: 'The body must be valid UTF-8.' };
  }
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const BYTE_ORDER_MARK = '\uFEFF';
