import type { Scope } from '../channels.ts';
import type { TakeBytes } from './exchange.ts';
import type { ServiceName } from './rest-error.ts';

/** What a client's request has used and caused. Identifies the request on the channels. */
export interface Usage extends Scope {
  /** Calls to services, including retries. */
  calls: number;
  /** Retried reads. */
  retries: number;
  /** List items left out because they are not records. */
  skipped: number;
  /** Time spent in calls to each service, in milliseconds. Concurrent calls add up. */
  readonly ms: Record<ServiceName, number>;
  /** The distinct codes of its errors, including typed errors of mutations. */
  readonly errorCodes: Set<string>;
}

/** What a client's request may still use of the services. */
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
  /** Takes bytes of responses to reads, which the request then holds, or returns why it cannot. */
  readonly takeBytes: TakeBytes;
  /** The same for responses to writes, which are small and must be read. */
  readonly takeWriteBytes: TakeBytes;
  /** Whether all requests together hold so much that this one should not read. */
  isFull(): boolean;
  /**
   * Called when a read has ended.
   *
   * @param unused bytes that it took and does not need, because it failed
   */
  endRead(unused: number): void;
  /** Called when the response was sent: the request then holds nothing. */
  end(): void;
}

/** Limits of what one request may use. */
export interface AllowanceLimits {
  readonly deadlineMs: number;
  readonly maxCalls: number;
  readonly maxBytes: number;
  /** What all requests hold. Default: no limit. */
  readonly heldBytes?: HeldBytes;
}

function newUsage(): Usage {
  return {
    calls: 0,
    retries: 0,
    skipped: 0,
    ms: { users: 0, payments: 0 },
    errorCodes: new Set(),
    trace: undefined,
    isRecorded: false,
    callHeaders: [],
  };
}

/** Creates the allowance of a request that starts now. */
export function createAllowance(requestId: string, limits: AllowanceLimits): Allowance {
  const deadline = performance.now() + limits.deadlineMs;
  const usage = newUsage();
  const { heldBytes = createHeldBytes(Number.POSITIVE_INFINITY) } = limits;
  let [calls, bytes, held] = [0, 0, 0];
  let isEnded = false;

  const takeWriteBytes: TakeBytes = (count) => {
    bytes += count;
    return bytes > limits.maxBytes ? 'limit' : undefined;
  };

  function release(count: number): void {
    held -= count;
    heldBytes.release(count);
  }

  return {
    requestId,
    usage,
    remainingMs: (now = performance.now()) => Math.max(0, deadline - now),
    takeCall: () => ++calls <= limits.maxCalls,
    hasSpareCalls: () => calls * 2 < limits.maxCalls,
    takeWriteBytes,
    takeBytes: (count) => {
      const exceeded = takeWriteBytes(count);
      if (exceeded !== undefined) return exceeded;
      if (!heldBytes.hold(count)) return 'overloaded';
      held += count;
      return undefined;
    },
    isFull: heldBytes.isFull,
    // A read that was started ahead, or that other requests joined, can end after the request.
    endRead: (unused) => release(isEnded ? held : unused),
    end: () => {
      isEnded = true;
      release(held);
    },
  };
}

/**
 * The same request without limits. Money operations have their own deadline, and their reads after
 * a POST must not depend on what else the request selected, or on other requests.
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
    takeBytes: () => undefined,
    takeWriteBytes: () => undefined,
    isFull: () => false,
    endRead: () => {},
    end: () => {},
  };
}

/** For the gateway's own work, outside of client requests. */
export function createUnlimited(requestId: string): Allowance {
  return withoutLimits({ requestId, usage: newUsage() });
}

/** The bytes of service responses that all requests of this process hold. */
export interface HeldBytes {
  /** Holds bytes. False if that would be too many; they are then not held. */
  hold(count: number): boolean;
  release(count: number): void;
  /** Whether another response would probably be too many. */
  isFull(): boolean;
}

/** Size of a typical response. */
const USUAL_BYTES = 64 * 1_024;

/** Counts held bytes: never more than `max`. */
export function createHeldBytes(max: number): HeldBytes {
  let held = 0;
  return {
    hold: (count) => {
      if (held + count > max) return false;
      held += count;
      return true;
    },
    release: (count) => {
      held -= count;
    },
    isFull: () => held + USUAL_BYTES > max,
  };
}
