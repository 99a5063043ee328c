import type { Scope } from '../channels.ts';
import type { ServiceName } from './rest-error.ts';

/** What a request of a client has used and led to. It identifies the request in what is published. */
export interface Usage extends Scope {
  /** Calls to services, repeated ones included. */
  calls: number;
  /** Reads that were repeated. */
  retries: number;
  /** Time spent in calls to each service, in milliseconds. Concurrent calls add up. */
  readonly ms: Record<ServiceName, number>;
  /** The different codes of its errors, also of typed errors of mutations. */
  readonly errorCodes: Set<string>;
}

/** What a request of a client may still use of the services. */
export interface Allowance {
  /** Sent to the services as `x-request-id`. */
  readonly requestId: string;
  readonly usage: Usage;
  /**
   * Time until the deadline of the request, in milliseconds; never negative.
   *
   * @param now by `performance.now()`
   */
  remainingMs(now?: number): number;
  /** Takes a call. False if none is left. */
  takeCall(): boolean;
  /** Whether less than half of the calls were taken. */
  hasSpareCalls(): boolean;
  /** Takes bytes of responses. False if too few are left. */
  takeBytes(count: number): boolean;
}

/** Limits of what one request may use. */
export interface AllowanceLimits {
  readonly deadlineMs: number;
  readonly maxCalls: number;
  readonly maxBytes: number;
}

function newUsage(): Usage {
  return {
    calls: 0,
    retries: 0,
    ms: { users: 0, payments: 0 },
    errorCodes: new Set(),
    trace: undefined,
    isRecorded: false,
    callHeaders: [],
  };
}

/** Creates the allowance of a request that begins now. */
export function createAllowance(requestId: string, limits: AllowanceLimits): Allowance {
  const deadline = performance.now() + limits.deadlineMs;
  const usage = newUsage();
  let [calls, bytes] = [0, 0];
  return {
    requestId,
    usage,
    remainingMs: (now = performance.now()) => Math.max(0, deadline - now),
    takeCall: () => ++calls <= limits.maxCalls,
    hasSpareCalls: () => calls * 2 < limits.maxCalls,
    takeBytes: (count) => {
      bytes += count;
      return bytes <= limits.maxBytes;
    },
  };
}

/**
 * The same request without limits. Money operations have their own deadline, and what they read
 * after a POST must not depend on what else the request has asked for.
 */
export function withoutLimits({
  requestId,
  usage,
}: Pick<Allowance, 'requestId' | 'usage'>): Allowance {
  return {
    requestId,
    usage,
    remainingMs: () => Number.POSITIVE_INFINITY,
    takeCall: () => true,
    hasSpareCalls: () => true,
    takeBytes: () => true,
  };
}

/** For work of the gateway itself, which belongs to no request of a client. */
export function createUnlimited(requestId: string): Allowance {
  return withoutLimits({ requestId, usage: newUsage() });
}
