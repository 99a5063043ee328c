import type { IncomingMessage } from 'node:http';
import type { HttpError } from './respond.ts';

/** The client has disconnected, so nobody waits for a response. */
export const GONE = Symbol('gone');

/** Reads the body of a request as text. It is counted while it is read, and never kept beyond the limit. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | HttpError | typeof GONE> {
  const tooLarge: HttpError = {
    status: 413,
    code: 'BODY_TOO_LARGE',
    message: `The body must not have more than ${maxBytes} bytes.`,
  };
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > maxBytes) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return GONE;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { status: 400, code: 'BAD_REQUEST', message: 'The body must be valid UTF-8.' };
  }
}
