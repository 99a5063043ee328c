import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { createUnlimited } from './allowance.ts';
import type { CallOutcome, Report } from './breaker.ts';
import { exchange, neverConnected, type RestResponse } from './exchange.ts';
import type { Caller } from './rest-client.ts';
import { RestError } from './rest-error.ts';
import { watchSending } from './sent-witness.ts';
import type { Service } from './service.ts';

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
  const entered = gate?.enter(owner, availableMs);
  // Without a wait if there is a free connection.
  const leave = entered instanceof Promise ? await entered : entered;
  if (typeof leave === 'string') throw notSent(leave === 'FULL' ? 'overloaded' : 'deadline');
  try {
    const leftMs =
      method === 'GET' ? availableMs - (performance.now() - start) : Number.POSITIVE_INFINITY;
    if (leftMs <= 0) throw notSent('deadline');
    const report = service.resilience?.breaker.enter(method === 'GET');
    if (typeof report === 'object') {
      if (method !== 'GET') probe(service);
      throw notSent('stopped', report.retryAfterMs);
    }
    return await send(service, caller, request, leftMs, report);
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
  const timeoutMs = service.limits.getMs;
  const read = { method: 'GET', path: PROBED_PATH, availableMs: 0, timeoutMs } as const;
  void send(service, caller, read, timeoutMs, entered).catch(() => {});
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

/**
 * Sends a request, and tells the breaker how it has ended.
 *
 * @param leftMs how long the caller waits, if that is less than the time limit of the request
 */
async function send(
  service: Service,
  { authorization, allowance }: Caller,
  { method, path, timeoutMs, body, idempotencyKey }: Call,
  leftMs: number,
  report: Report | undefined,
): Promise<RestResponse> {
  const { service: name, limits } = service;
  const witness = idempotencyKey === undefined ? undefined : watchSending(idempotencyKey);
  const isShort = leftMs < timeoutMs;
  const givenMs = isShort ? leftMs : timeoutMs;
  const start = performance.now();
  let outcome: CallOutcome = 'NONE';
  allowance.usage.calls++;
  try {
    const response = await exchange({
      service: name,
      dispatcher: (method === 'GET' ? service.reads : service.writes).pool,
      options: {
        method,
        path: `${service.base}${path}`,
        headers: [
          ...['accept', 'application/json', 'x-request-id', allowance.requestId],
          ...['x-request-deadline-ms', String(Math.floor(givenMs))],
          ...(authorization === undefined ? [] : ['authorization', authorization]),
          ...(body === undefined ? [] : ['content-type', 'application/json']),
          ...(idempotencyKey === undefined ? [] : ['idempotency-key', idempotencyKey]),
        ],
        body: body === undefined ? null : JSON.stringify(body),
      },
      timeoutMs: givenMs,
      maxBytes: limits.maxBytes,
      takeBytes: allowance.takeBytes,
      neverLeft: (error) => (witness === undefined ? neverConnected(error) : !witness.sent),
    });
    outcome = 'SUCCESS';
    return response;
  } catch (error) {
    const showsNothing = error instanceof RestError && error.failure === 'timeout' && isShort;
    if (error instanceof RestError && !showsNothing) outcome = outcomeOf(error);
    throw error;
  } finally {
    allowance.usage.ms[name] += performance.now() - start;
    report?.(outcome);
    witness?.stop();
  }
}
