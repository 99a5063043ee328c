import type { Dispatcher } from 'undici';
import {
  type CreateDecoder,
  type Decoder,
  findDecoder,
  type Headers,
  PAGE,
  readContent,
  readHeader,
  readRetryAfter,
  Unreadable,
} from './read-content.ts';
import { redirectReason } from './reason.ts';
import { type Outcome, type Reason, RestError, type ServiceName } from './rest-error.ts';
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
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  readonly options: Dispatcher.DispatchOptions;
  /** How long the request may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Size limit of the response, both as received and decoded, counted while reading. */
  readonly maxBytes: number;
  /** Takes decoded bytes from what may still be read, or returns which limit they exceed. */
  readonly takeBytes: TakeBytes;
  /** Whether a failed request certainly never left this process. */
  readonly neverLeft: (error: ConnectionError) => boolean;
  /**
   * Called once, when the response was read or the request failed.
   *
   * @param status of the response; 0 without one
   * @param bytes that were taken
   */
  readonly onEnd: (error: RestError | undefined, status: number, bytes: number) => void;
}

/** Takes bytes, or returns the failure of the read. */
export type TakeBytes = (count: number) => 'limit' | 'overloaded' | undefined;

/** Sends one request and reads its response. Rejects only with a {@link RestError}. */
export function exchange(sent: Exchange): Promise<RestResponse> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader(sent, resolve, reject);
    sent.dispatcher.dispatch(sent.options, reader);
  });
}

/**
 * Reads one response as undici receives it. undici's `request` creates a stream for each body,
 * which costs more than the rest of a call.
 */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #sent: Exchange;
  readonly #resolve: (response: RestResponse) => void;
  readonly #reject: (error: RestError) => void;
  readonly #endTimeLimit: () => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  /** Creates the decoder of the body; undefined if it is not encoded. */
  #createDecoder: CreateDecoder | undefined;
  /** Created with the first byte, because an encoded body without any is just empty. */
  #decoder: Decoder | undefined;
  #arrived = 0;
  #length = 0;
  #taken = 0;
  #status = 0;
  #headers: Headers = {};
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Nothing was written yet, so a request that timed out is never sent.
    if (this.#isSettled) controller.abort(STOPPED);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
    const codings = headers['content-encoding'];
    // An interim response has no body.
    if (codings !== undefined && status >= 200) this.#readCodings([codings].flat().join(', '));
  }

  /** Rarely called. */
  #readCodings(codings: string): void {
    const found = findDecoder(codings);
    if (found === 'NONE') return;
    this.#createDecoder = found;
    if (found === undefined) this.#refuse(unknownCoding(codings));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    if (this.#createDecoder === undefined) this.#take(chunk);
    else this.#decode(chunk, this.#createDecoder, controller);
  }

  #decode(
    chunk: Buffer,
    createDecoder: CreateDecoder,
    controller: Dispatcher.DispatchController,
  ): void {
    this.#arrived += chunk.length;
    if (this.#arrived > this.#sent.maxBytes) {
      this.#stopTooLarge();
      return;
    }
    this.#decoder ??= this.#openDecoder(createDecoder(chunk[0]));
    // Pause input while the decoder is busy, so that it never holds much in memory.
    if (!this.#decoder.write(chunk)) controller.pause();
  }

  #openDecoder(decoder: Decoder): Decoder {
    return decoder
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('drain', () => this.#controller?.resume())
      .on('error', () => this.#refuse(WRONG_CODING))
      .on('end', () => this.#endDecoding(decoder));
  }

  /** Decoders ignore what follows the end of their format. */
  #endDecoding({ bytesWritten }: Decoder): void {
    if (bytesWritten === this.#arrived) this.#complete();
    else this.#refuse(WRONG_CODING);
  }

  #take(chunk: Buffer): void {
    if (this.#isSettled) return;
    const { service, options, maxBytes, takeBytes } = this.#sent;
    this.#length += chunk.length;
    if (this.#length > maxBytes) {
      this.#stopTooLarge();
      return;
    }
    const exceeded = takeBytes(chunk.length);
    if (exceeded !== undefined) {
      this.#stop(new RestError(service, options.method, exceeded));
      return;
    }
    this.#taken += chunk.length;
    this.#chunks.push(chunk);
  }

  #stopTooLarge(): void {
    const { service, options, maxBytes } = this.#sent;
    const cause = `the response has more than ${maxBytes} bytes (UPSTREAM_MAX_BYTES)`;
    const reason = { kind: 'too-large', cause };
    const tooLarge = new RestError(service, options.method, 'too-large', { reason });
    this.#stop(isSuccess(this.#status) ? tooLarge : this.#statusError(undefined, reason));
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    if (this.#decoder === undefined) this.#complete();
    else this.#decoder.end();
  }

  #complete(): void {
    if (this.#isSettled) return;
    const chunks = this.#chunks;
    const bytes = chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
    const content = bytes === undefined ? undefined : readContent(bytes, this.#headers);
    if (content instanceof Unreadable) this.#fail(this.#unusable(content.reason));
    else if (!isSuccess(this.#status)) this.#fail(this.#statusError(content));
    else if (this.#status === PARTIAL) this.#fail(this.#unusable(PART));
    else this.#succeed(content);
  }

  onResponseError(_: unknown, error: ConnectionError): void {
    if (!this.#isSettled) this.#fail(this.#failed('unreachable', error));
  }

  /** Fails because of an unreadable body. */
  #refuse(reason: Reason): void {
    if (!this.#isSettled) this.#stop(this.#unusable(reason));
  }

  #unusable(reason: Reason): RestError {
    const { service, options } = this.#sent;
    const status = this.#status;
    if (isSuccess(status))
      return new RestError(service, options.method, 'bad-response', { reason });
    if (reason !== PAGE.reason || !OF_RECORDS.has(status)) {
      return this.#statusError(undefined, reason);
    }
    const cause = `status ${status}, and ${reason.cause}`;
    return new RestError(service, options.method, 'bad-response', { reason: { ...reason, cause } });
  }

  #statusError(body: unknown, unreadable?: Reason): RestError {
    const { service, origin, options } = this.#sent;
    const status = this.#status;
    const retryAfterMs = readRetryAfter(readHeader(this.#headers, 'retry-after'));
    const location = status < 400 ? readHeader(this.#headers, 'location') : undefined;
    const reason = location === undefined ? unreadable : redirectReason(location, origin);
    const details = { status, body, outcome: outcomeOf(status), retryAfterMs, reason };
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
    this.#controller?.abort(STOPPED);
  }

  #succeed(body: unknown): void {
    this.#settle(undefined);
    // Only the response to a write has a location.
    const isRead = this.#sent.options.method === 'GET';
    this.#resolve({ body, location: isRead ? undefined : readHeader(this.#headers, 'location') });
  }

  #fail(error: RestError): void {
    this.#settle(error);
    this.#reject(error);
  }

  #settle(error: RestError | undefined): void {
    this.#isSettled = true;
    this.#endTimeLimit();
    this.#decoder?.destroy();
    this.#sent.onEnd(error, this.#status, this.#taken);
  }
}

/**
 * These statuses mean something about a key or a record only if they come from the service itself.
 * A page comes from an intermediary.
 */
const OF_RECORDS = new Set([401, 403, 404, 410]);
const PARTIAL = 206;
const PART: Reason = { kind: 'partial', cause: 'the response is partial, as its status says' };
const WRONG_CODING: Reason = {
  kind: 'wrong-coding',
  cause: 'the content does not match its Content-Encoding',
};

const CODINGS = /^[\w-]{1,20}(, ?[\w-]{1,20}){0,3}$/;

function unknownCoding(codings: string): Reason {
  const shown = CODINGS.test(codings) ? ` "${codings}"` : '';
  return { kind: 'unknown-coding', cause: `the Content-Encoding${shown} is not supported` };
}

const STOPPED: ConnectionError = new Error('The gateway does not wait for this response.');

/** Errors while connecting: certainly no byte of the request was sent. */
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

/** What a status other than 2xx means for a write. */
function outcomeOf(status: number): Outcome {
  return status >= 400 && status < 500 && status !== 408 ? 'REJECTED' : 'UNKNOWN';
}
