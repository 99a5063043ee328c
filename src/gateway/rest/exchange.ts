import type { Dispatcher } from 'undici';
import { badResponse, type Outcome, RestError, type ServiceName } from './rest-error.ts';
import { readRetryAfter } from './retry-after.ts';
import { startTimeLimit } from './time-limit.ts';

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
  readonly dispatcher: Dispatcher;
  readonly options: Dispatcher.DispatchOptions;
  /** How long the request may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Size limit of the response, counted while reading. */
  readonly maxBytes: number;
  /** Takes bytes from what the request may still read. False if too few are left. */
  readonly takeBytes: (count: number) => boolean;
  /** Whether a failed request certainly did not leave this process. */
  readonly neverLeft: (error: ConnectionError) => boolean;
  /**
   * Called once, when the response was read or the request has failed.
   *
   * @param status of the response; 0 without one
   */
  readonly onEnd: (error: RestError | undefined, status: number) => void;
}

/** Sends one request and reads its response. Every failure is a {@link RestError}. */
export function exchange(sent: Exchange): Promise<RestResponse> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader(sent, resolve, reject);
    sent.dispatcher.dispatch(sent.options, reader);
  });
}

/**
 * Reads one response as undici receives it. undici's `request` does the same with a stream for
 * each body, which costs more than the rest of a call.
 */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #sent: Exchange;
  readonly #resolve: (response: RestResponse) => void;
  readonly #reject: (error: RestError) => void;
  readonly #endTimeLimit: () => void;
  readonly #chunks: Buffer[] = [];
  #abort: ((error: Error) => void) | undefined;
  #length = 0;
  #status = 0;
  /** Names and values in turn. They are read only when one of them matters. */
  #headers: readonly Buffer[] = [];
  #isSettled = false;

  constructor(
    sent: Exchange,
    resolve: (response: RestResponse) => void,
    reject: (error: RestError) => void,
  ) {
    this.#sent = sent;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#endTimeLimit = startTimeLimit(sent.timeoutMs, () => this.#stop(this.#failed('timeout')));
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    // Nothing was written yet, so a request whose time has passed is never sent.
    if (this.#isSettled) abort(STOPPED);
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.#status = status;
    this.#headers = headers;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#take(chunk);
    return true;
  }

  #take(chunk: Buffer): void {
    if (this.#isSettled) return;
    const { service, options, maxBytes, takeBytes } = this.#sent;
    this.#length += chunk.length;
    if (this.#length > maxBytes) {
      const tooLarge = new RestError(service, options.method, 'too-large');
      this.#stop(isSuccess(this.#status) ? tooLarge : this.#statusError(undefined));
    } else if (!takeBytes(chunk.length)) {
      this.#stop(new RestError(service, options.method, 'limit'));
    } else {
      this.#chunks.push(chunk);
    }
  }

  onComplete(): void {
    if (this.#isSettled) return;
    const chunks = this.#chunks;
    const bytes = chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
    const content = parse(bytes?.toString('utf8') ?? '');
    const { service, options } = this.#sent;
    if (!isSuccess(this.#status)) this.#fail(this.#statusError(content));
    else if (content === NOT_JSON) this.#fail(badResponse(service, options.method));
    else this.#succeed(content);
  }

  onError(error: ConnectionError): void {
    if (!this.#isSettled) this.#fail(this.#failed('unreachable', error));
  }

  #statusError(body: unknown): RestError {
    const { service, options } = this.#sent;
    const status = this.#status;
    const retryAfterMs = readRetryAfter(this.#header('retry-after'));
    const details = { status, body, outcome: outcomeOf(status), retryAfterMs };
    return new RestError(service, options.method, 'status', details);
  }

  #failed(failure: 'timeout' | 'unreachable', cause: ConnectionError = STOPPED): RestError {
    const { service, options, neverLeft } = this.#sent;
    const outcome: Outcome = neverLeft(cause) ? 'NOT_SENT' : 'UNKNOWN';
    return new RestError(service, options.method, failure, { outcome, cause });
  }

  /** Fails without the rest of the response, and closes the connection. */
  #stop(error: RestError): void {
    this.#fail(error);
    this.#abort?.(STOPPED);
  }

  #succeed(body: unknown): void {
    this.#settle(undefined);
    // Only a write can tell where its record is.
    const isRead = this.#sent.options.method === 'GET';
    this.#resolve({ body, location: isRead ? undefined : this.#header('location') });
  }

  /** The first value of a header. */
  #header(name: string): string | undefined {
    const at = this.#headers.findIndex(
      (text, index) => index % 2 === 0 && text.toString('latin1').toLowerCase() === name,
    );
    return at === -1 ? undefined : this.#headers[at + 1]?.toString('latin1');
  }

  #fail(error: RestError): void {
    this.#settle(error);
    this.#reject(error);
  }

  #settle(error: RestError | undefined): void {
    this.#isSettled = true;
    this.#endTimeLimit();
    this.#sent.onEnd(error, this.#status);
  }
}

const STOPPED: ConnectionError = new Error('The gateway does not wait for this response.');

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

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** What a status other than 2xx shows about a write. */
function outcomeOf(status: number): Outcome {
  return status >= 400 && status < 500 && status !== 408 ? 'REJECTED' : 'UNKNOWN';
}

const NOT_JSON = Symbol('not JSON');
const HAS_CONTENT = /\S/;

/** `undefined` for an empty text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return HAS_CONTENT.test(text) ? NOT_JSON : undefined;
  }
}
