import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { createUnlimited } from './allowance.ts';
import type { CallOutcome } from './breaker.ts';
import { exchange, neverConnected, type RestResponse } from './exchange.ts';
import type { Caller } from './rest-client.ts';
import { RestError } from './rest-error.ts';
import { watchSending } from './sent-witness.ts';
import type { Service } from './service.ts';
import { startTimeLimit } from './time-limit.ts';

/** One attempt to read, or a write. */
export interface Call {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** How long the call may take once it has a connection, in milliseconds. */
  readonly timeoutMs: number;
  /** How long a read may take with the wait for a connection. A write only waits that long. */
  readonly availableMs: number;
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Makes one call: when the request may still make one, the breaker is closed, and there is a
 * connection. Otherwise nothing is sent.
 */
export async function call(service: Service, caller: Caller, request: Call): Promise<RestResponse> {
  const { allowance, owner } = caller;
  const { method, availableMs } = request;
  const notSent = (failure: 'deadline' | 'limit' | 'stopped' | 'overloaded', ms?: number) =>
    new RestError(service.service, method, failure, { outcome: 'NOT_SENT', retryAfterMs: ms });

  if (availableMs <= 0) throw notSent('deadline');
  if (!allowance.takeCall()) throw notSent('limit');
  const start = performance.now();
  const { gate } = method === 'GET' ? service.reads : service.writes;
  const leave = await gate?.enter(owner, availableMs);
  if (typeof leave === 'string') throw notSent(leave === 'FULL' ? 'overloaded' : 'deadline');
  try {
    const leftMs =
      method === 'GET' ? availableMs - (performance.now() - start) : Number.POSITIVE_INFINITY;
    if (leftMs <= 0) throw notSent('deadline');
    const entered = service.resilience?.breaker.enter(method === 'GET');
    if (typeof entered === 'object') {
      if (method !== 'GET') probe(service);
      throw notSent('stopped', entered.retryAfterMs);
    }
    const timeoutMs = Math.min(request.timeoutMs, leftMs);
    const isShort = timeoutMs < request.timeoutMs;
    return await reported(send(service, caller, { ...request, timeoutMs }), isShort, entered);
  } finally {
    leave?.();
  }
}

/** Whatever the service responds to it shows that it works. */
const PROBED_PATH = '/';

/** Lets the breaker close for clients that only write: makes a read if it is time for one. */
function probe(service: Service): void {
  const entered = service.resilience?.breaker.enter(true);
  if (typeof entered !== 'function') return;
  const caller = { authorization: undefined, owner: '', allowance: createUnlimited(randomUUID()) };
  const read = { method: 'GET', path: PROBED_PATH, availableMs: 0 } as const;
  const sent = send(service, caller, { ...read, timeoutMs: service.limits.getMs });
  void reported(sent, false, entered).catch(() => {});
}

/**
 * Tells the breaker how a call has ended.
 *
 * @param isShort whether the service had less time than usual
 */
async function reported(
  sent: Promise<RestResponse>,
  isShort: boolean,
  report: ((outcome: CallOutcome) => void) | undefined,
): Promise<RestResponse> {
  let outcome: CallOutcome = 'NONE';
  try {
    const response = await sent;
    outcome = 'SUCCESS';
    return response;
  } catch (error) {
    const showsNothing = error instanceof RestError && error.failure === 'timeout' && isShort;
    if (error instanceof RestError && !showsNothing) outcome = outcomeOf(error);
    throw error;
  } finally {
    report?.(outcome);
  }
}

const UNAVAILABLE = new Set([502, 503, 504]);

function outcomeOf({ failure, method, status = 0 }: RestError): CallOutcome {
  // One record may be too large, or broken. A caller must not be able to stop all others with it.
  if (failure === 'limit' || failure === 'too-large') return 'NONE';
  if (failure === 'bad-response') return 'ERROR';
  // Writes may hang because of what they change, such as one merchant.
  if (failure === 'timeout' && method !== 'GET') return 'NONE';
  if (failure !== 'status' || UNAVAILABLE.has(status)) return 'FAILURE';
  return status >= 500 ? 'ERROR' : 'SUCCESS';
}

async function send(
  { service, origin, base, limits, reads, writes }: Service,
  { authorization, allowance }: Caller,
  { method, path, timeoutMs, body, idempotencyKey }: Call,
): Promise<RestResponse> {
  const witness = idempotencyKey === undefined ? undefined : watchSending(idempotencyKey);
  const { signal, clear } = startTimeLimit(timeoutMs);
  const start = performance.now();
  allowance.usage.calls++;
  try {
    return await exchange({
      service,
      url: `${origin}${base}${path}`,
      options: {
        dispatcher: (method === 'GET' ? reads : writes).pool,
        method,
        headers: {
          accept: 'application/json',
          'x-request-id': allowance.requestId,
          'x-request-deadline-ms': String(Math.floor(timeoutMs)),
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      },
      maxBytes: limits.maxBytes,
      takeBytes: allowance.takeBytes,
      neverLeft: (error) => (witness === undefined ? neverConnected(error) : !witness.sent),
    });
  } finally {
    allowance.usage.ms[service] += performance.now() - start;
    clear();
    witness?.stop();
  }
}
