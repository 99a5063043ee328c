import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { USER_AGENT } from '../../package-files.ts';
import {
  type RestCallStart,
  restCallEnds,
  restCallStarts,
  restCallsNotMade,
  type Scope,
} from '../channels.ts';
import { createUnlimited } from './allowance.ts';
import type { CallOutcome } from './breaker.ts';
import type { Caller } from './caller.ts';
import { exchange, neverConnected, type RestResponse } from './exchange.ts';
import { path, routeOf } from './path.ts';
import { ACCEPTED_CODINGS } from './read-content.ts';
import { reasonOf } from './reason.ts';
import { RestError, type RestFailure } from './rest-error.ts';
import { watchSending } from './sent-witness.ts';
import { connectMsOf, type Service } from './service.ts';
import type { Leave } from './shares.ts';

/** One attempt to read, or a write. */
export interface Call {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** How long the call may take once it has a connection, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * How long a read may take, including the wait for a connection. A write only waits that long.
   */
  readonly availableMs: number;
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Makes one call if the request may still make one, the breaker is closed, and a connection is
 * available. Otherwise sends nothing. Synchronous unless it has to wait.
 */
export function call(service: Service, caller: Caller, request: Call): Promise<RestResponse> {
  const { allowance, owner } = caller;
  const { method, availableMs } = request;
  if (availableMs <= 0) return notSent(service, request, 'deadline');
  if (!allowance.takeCall()) return notSent(service, request, 'limit');
  if (method === 'GET' && allowance.isFull()) return notSent(service, request, 'overloaded');
  const { gate } = method === 'GET' ? service.reads : service.writes;
  const entered = gate?.enter(owner, availableMs);
  if (!(entered instanceof Promise)) return callWithin(service, caller, request, 0, entered);
  const start = performance.now();
  return entered.then((leave) =>
    callWithin(service, caller, request, performance.now() - start, leave),
  );
}

/** Makes a call that has a connection, perhaps after a wait, or rejects with why it has none. */
function callWithin(
  service: Service,
  caller: Caller,
  request: Call,
  waitedMs: number,
  leave: Leave | 'FULL' | 'LATE' | undefined,
): Promise<RestResponse> {
  if (leave === 'FULL') return notSent(service, request, 'overloaded');
  if (leave === 'LATE') return notSent(service, request, 'deadline');
  const isRead = request.method === 'GET';
  const leftMs = isRead ? request.availableMs - waitedMs : Number.POSITIVE_INFINITY;
  if (leftMs <= 0) {
    leave?.();
    return notSent(service, request, 'deadline');
  }
  const permission = service.resilience?.breaker.enter(isRead);
  if (typeof permission === 'object') {
    leave?.();
    if (request.method !== 'GET') void probe(service);
    return notSent(service, request, 'stopped', permission.retryAfterMs);
  }
  return send(service, caller, request, leftMs, (outcome) => {
    leave?.();
    permission?.(caller.isBackground && outcome !== 'SUCCESS' ? 'NONE' : outcome);
  });
}

function notSent(
  { service }: Service,
  { method }: Call,
  failure: 'deadline' | 'limit' | 'stopped' | 'overloaded',
  retryAfterMs?: number,
): Promise<never> {
  if (restCallsNotMade.hasSubscribers) restCallsNotMade.publish({ service, reason: failure });
  const details = { outcome: 'NOT_SENT', retryAfterMs } as const;
  return Promise.reject(new RestError(service, method, failure, details));
}

/** The path need not exist: even a 404 or a page shows that the service works. */
const PROBED_PATH = path`/`;

/** Makes a read when one is due, so that the breaker can close even if clients only write. */
async function probe(service: Service): Promise<void> {
  const permission = service.resilience?.breaker.enter(true);
  if (typeof permission !== 'function') return;
  const caller = { authorization: undefined, owner: '', allowance: createUnlimited(randomUUID()) };
  const timeoutMs = service.limits.getMs;
  const read = { method: 'GET', path: PROBED_PATH, availableMs: 0, timeoutMs } as const;
  await send(service, caller, read, timeoutMs, (outcome, status) => {
    const hasResponse = (outcome === 'ERROR' || outcome === 'NONE') && status < 500;
    permission(hasResponse ? 'SUCCESS' : outcome);
  }).catch(() => {});
}

const SHOWS_NOTHING: ReadonlySet<RestFailure> = new Set(['limit', 'overloaded', 'too-large']);
const UNAVAILABLE = new Set([502, 503, 504]);

function outcomeOf({ failure, method, status = 0 }: RestError): CallOutcome {
  // A single record may be too large or broken. One caller must not be able to stop all others.
  if (SHOWS_NOTHING.has(failure)) return 'NONE';
  if (failure === 'bad-response') return 'ERROR';
  // A write may hang because of what it changes, such as one merchant.
  if (failure === 'timeout' && method !== 'GET') return 'NONE';
  if (failure !== 'status' || UNAVAILABLE.has(status)) return 'FAILURE';
  // Redirects are not followed, so they count as errors.
  return status >= 500 || status < 400 ? 'ERROR' : 'SUCCESS';
}

/**
 * Sends a request.
 *
 * @param leftMs how long the caller waits, if less than the time limit of the call
 * @param report called once, with the outcome and the status; 0 without one
 */
function send(
  service: Service,
  caller: Caller,
  request: Call,
  leftMs: number,
  report: (outcome: CallOutcome, status: number) => void,
): Promise<RestResponse> {
  const { service: name, limits, origin, base } = service;
  const { method, timeoutMs, body, idempotencyKey } = request;
  const { allowance } = caller;
  const { usage } = allowance;
  const witness = idempotencyKey === undefined ? undefined : watchSending(idempotencyKey);
  const isRead = method === 'GET';
  const isShort = leftMs < timeoutMs;
  const givenMs = isShort ? leftMs : timeoutMs;
  const start = performance.now();
  const headers = headersOf(caller, request, givenMs);
  const spanId = publishStart(usage, headers);
  const { retries } = usage;
  usage.calls++;
  return exchange({
    service: name,
    origin,
    dispatcher: (isRead ? service.reads : service.writes).pool,
    options: {
      method,
      path: base + request.path,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    },
    timeoutMs: givenMs,
    maxBytes: limits.maxBytes,
    takeBytes: isRead ? allowance.takeBytes : allowance.takeWriteBytes,
    neverLeft: (error) => (witness === undefined ? neverConnected(error) : !witness.isSent()),
    onEnd: (error, status, bytes) => {
      const end = performance.now();
      usage.ms[name] += end - start;
      if (restCallEnds.isWanted(usage)) {
        restCallEnds.publish(usage, {
          scope: usage,
          origin,
          base,
          method,
          path: request.path,
          retries,
          spanId,
          start,
          end,
          status,
          failure: error?.failure,
        });
      }
      witness?.stop();
      if (isRead) allowance.endRead(error === undefined ? 0 : bytes);
      if (error !== undefined && service.onFailure !== undefined) {
        const reason = reasonOf(error, { ms: givenMs, isShort, connectMs: connectMsOf(limits) });
        const route = routeOf(request.path) ?? '-';
        if (reason !== undefined) {
          service.onFailure({ service: name, method, route, status, ...reason });
        }
      }
      const showsNothing = error?.failure === 'timeout' && isShort;
      report(error === undefined ? 'SUCCESS' : showsNothing ? 'NONE' : outcomeOf(error), status);
    },
  });
}

/** Returns the id of the span that the tracer creates; undefined without one. */
function publishStart(scope: Scope, headers: string[]): string | undefined {
  if (!scope.isRecorded || !restCallStarts.hasSubscribers) return undefined;
  const call: RestCallStart = { scope, headers, spanId: undefined };
  restCallStarts.publish(call);
  return call.spanId;
}

const ALWAYS = [
  ...['accept', 'application/json'],
  ...['accept-encoding', ACCEPTED_CODINGS],
  ...['user-agent', USER_AGENT],
];

/** Alternating names and values, which undici reads fastest. */
function headersOf(
  { authorization, allowance }: Caller,
  { body, idempotencyKey }: Call,
  givenMs: number,
): string[] {
  const headers: string[] = [...ALWAYS, 'x-request-id', allowance.requestId];
  headers.push('x-request-deadline-ms', String(Math.floor(givenMs)));
  if (authorization !== undefined) headers.push('authorization', authorization);
  if (body !== undefined) headers.push('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.push('idempotency-key', idempotencyKey);
  for (const text of allowance.usage.callHeaders) headers.push(text);
  return headers;
}
