import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Arrivals } from './arrivals.ts';
import type { HttpError } from './respond.ts';

/** The client has disconnected, so nobody waits for a response. */
export const GONE = Symbol('gone');

/** A body, or why there is none. */
export type Body = string | HttpError | typeof GONE;

/** Reads the body of a request as text. It is counted while it is read, and never kept beyond the limit. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  arrivals: Arrivals,
): Promise<Body> {
  const tooLarge = (): HttpError => ({
    status: 413,
    code: 'BODY_TOO_LARGE',
    message: `The body must not have more than ${maxBytes} bytes.`,
  });
  return new Promise((resolve) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return resolve(tooLarge());
    const chunks: Buffer[] = [];
    let length = 0;
    let isDone = false;
    const finish = (body: Body) => {
      // To resolve a promise again would be slow.
      if (isDone) return;
      isDone = true;
      leave();
      chunks.length = 0;
      resolve(body);
    };
    const leave = arrivals.add(finish);
    request.on('data', (chunk: Buffer) => {
      if (isDone) return;
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else finish(tooLarge());
    });
    request.on('end', () => finish(toText(chunks)));
    // Follows every end as well, and is the only event if the client disconnects.
    request.on('close', () => finish(GONE));
  });
}

function toText(chunks: readonly Buffer[]): string | HttpError {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  if (!isUtf8(bytes)) {
    return { status: 400, code: 'BAD_REQUEST', message: 'The body must be valid UTF-8.' };
  }
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const BYTE_ORDER_MARK = '\uFEFF';
