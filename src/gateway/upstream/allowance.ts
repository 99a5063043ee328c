import type { Scope } from '../channels.ts';
import type { TakeBytes } from './exchange.ts';
import type { ServiceName } from './rest-error.ts';

/** What a request of a client has used and led to. It identifies the request in what is published. */
export interface Usage extends Scope {
  /** Calls to services, repeated ones included. */
  calls: number;
  /** Reads that were repeated. */
  retries: number;
  /** Items of lists that were left out, because they are not records. */
  skipped: number;
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
  /** Takes bytes of responses to reads, which the request then holds, or says why it cannot. */
  readonly takeBytes: TakeBytes;
  /** The same for responses to writes, which are small and must be read. */
  readonly takeWriteBytes: TakeBytes;
  /** Whether all requests together hold so much that this one had better not read. */
  isFull(): boolean;
  /**
   * Called when a read has ended.
   *
   * @param unused bytes that it has taken and that are not needed, because it has failed
   */
  endRead(unused: number): void;
  /** Called when the request was answered: it holds nothing any more. */
  end(): void;
}

/** Limits of what one request may use. */
export interface AllowanceLimits {
  readonly deadlineMs: number;
  readonly maxCalls: number;
  readonly maxBytes: number;
  /** What all requests hold; without a limit if left out. */
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

/** Creates the allowance of a request that begins now. */
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
    // A read that was begun ahead, or that others have joined, can end after the request.
    endRead: (unused) => release(isEnded ? held : unused),
    end: () => {
      isEnded = true;
      release(held);
    },
  };
}

/**
 * The same request without limits. Money operations have their own deadline, and what they read
 * after a POST must not depend on what else the request has asked for, or on other requests.
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

/** For work of the gateway itself, which belongs to no request of a client. */
export function createUnlimited(requestId: string): Allowance {
  return withoutLimits({ requestId, usage: newUsage() });
}

/** The bytes of responses of services that all requests of this process hold. */
export interface HeldBytes {
  /** Holds bytes. False if they would be too many, and then they are not held. */
  hold(count: number): boolean;
  release(count: number): void;
  /** Whether so many are held that another response would most likely be too many. */
  isFull(): boolean;
}

/** What a usual response has. */
const USUAL_BYTES = 64 * 1_024;

/** Counts the bytes that are held: never more than `max`. */
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
