import { type Dispatcher, request } from 'undici';
import { badResponse, type Outcome, RestError, type ServiceName } from './rest-error.ts';
import { readRetryAfter } from './retry-after.ts';

/** A successful response. */
export interface RestResponse {
  /** The decoded JSON; `undefined` if the response was empty. */
  readonly body: unknown;
  readonly location: string | undefined;
}

/** An error of undici or of the socket below it. */
export type ConnectionError = Error & { readonly code?: string; readonly syscall?: string };

/** One request to a service. */
export interface Exchange {
  readonly service: ServiceName;
  readonly url: string;
  readonly options: NonNullable<Parameters<typeof request>[1]> & { method: Dispatcher.HttpMethod };
  /** Size limit of the response, counted while reading. */
  readonly maxBytes: number;
  /** Takes bytes from what the request may still read. False if too few are left. */
  readonly takeBytes: (count: number) => boolean;
  /** Whether a failed request certainly did not leave this process. */
  readonly neverLeft: (error: ConnectionError) => boolean;
}

/** Sends one request and reads its response. Every failure is a {@link RestError}. */
export async function exchange(sent: Exchange): Promise<RestResponse> {
  const { service, url, options } = sent;
  const { method } = options;
  try {
    const { statusCode: status, headers, body } = await request(url, options);
    const text = await readText(body, sent);
    const content = text === undefined ? undefined : parse(text);
    if (status < 200 || status > 299) {
      const outcome = outcomeOf(status);
      const retryAfterMs = readRetryAfter(headers['retry-after']);
      const details = { status, body: content, outcome, retryAfterMs };
      throw new RestError(service, method, 'status', details);
    }
    if (text === undefined) throw new RestError(service, method, 'too-large');
    if (content === NOT_JSON) throw badResponse(service, method);
    const { location } = headers;
    return { body: content, location: typeof location === 'string' ? location : undefined };
  } catch (cause) {
    if (cause instanceof RestError) throw cause;
    // undici rejects with nothing but errors.
    const error = cause as ConnectionError;
    const outcome: Outcome = sent.neverLeft(error) ? 'NOT_SENT' : 'UNKNOWN';
    const failure = error.name === 'TimeoutError' ? 'timeout' : 'unreachable';
    throw new RestError(service, method, failure, { outcome, cause });
  }
}

/** Errors while connecting: certainly no byte of the request has left. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Whether no connection was opened. An open connection may fail with the same codes, but
 * then while reading or writing.
 */
export function neverConnected({ code = '', syscall }: ConnectionError): boolean {
  return NEVER_CONNECTED.has(code) && syscall !== 'read' && syscall !== 'write';
}

/** What a status other than 2xx shows about a write. */
function outcomeOf(status: number): Outcome {
  return status >= 400 && status < 500 && status !== 408 ? 'REJECTED' : 'UNKNOWN';
}

/** The complete response as text; `undefined` if it is larger than allowed. */
async function readText(
  body: Dispatcher.ResponseData['body'],
  { service, options, maxBytes, takeBytes }: Exchange,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    if (!takeBytes(chunk.length)) throw new RestError(service, options.method, 'limit');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const NOT_JSON = Symbol('not JSON');

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
