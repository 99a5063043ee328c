import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestParams } from './read-params.ts';

/** The result of executing a request. */
export interface Executed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The response, as JSON. */
  readonly text: string;
  /** Size of the response in UTF-8; Infinity if it was too large to create. */
  readonly bytes: number;
  /** Logs and publishes the end of the request. Call when the status of the response is known. */
  end(status: number): void;
}

/** A response that is sent as it comes: Server-Sent Events. */
export interface Streamed extends Pick<Executed, 'status' | 'headers' | 'end'> {
  readonly stream: ReadableStream<Uint8Array>;
}

/** Executes GraphQL requests. */
export interface Execute {
  /** Joins the same query in flight. Undefined if there is none. */
  join(request: IncomingMessage, body: string): Promise<Executed | undefined> | undefined;
  /**
   * Executes a request.
   *
   * @param body the body that `params` were read from
   */
  run(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
    params: RequestParams,
  ): Promise<Executed | Streamed>;
}

/**
 * Whether the JSON of a response certainly has more bytes than it may have. Ask before the text is
 * made: a few aliases of large fields can make one that does not fit into memory. What is counted
 * here is never more than the text has, and the text has at most some ten times as much.
 */
export function isLongerThan(max: number, response: object): boolean {
  return lengthOf(response, max) > max;
}

/** Counts until there are more than `max`. */
function lengthOf(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  // What an error shows of itself.
  if ('toJSON' in value && typeof value.toJSON === 'function') return lengthOf(value.toJSON(), max);
  // Brackets, and a comma between two values.
  let length = 1;
  if (Array.isArray(value)) {
    for (const each of value) {
      length += 1 + lengthOf(each, max - length);
      if (length > max) break;
    }
    return length;
  }
  for (const name in value) {
    // The types do not say that an object has the property that was just found in it.
    const property = (value as Readonly<Record<string, unknown>>)[name];
    if (property !== undefined) length += name.length + 4 + lengthOf(property, max - length);
    if (length > max) break;
  }
  return length;
}
