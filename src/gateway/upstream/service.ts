import { Pool } from 'undici';
import type { Resilience } from './breaker.ts';
import type { Flights } from './flights.ts';
import { createGate, type Gate } from './gate.ts';
import type { KeyCheck } from './key-check.ts';
import type { FailedCall } from './reason.ts';
import type { ServiceName } from './rest-error.ts';

/** Limits of the calls to one service. */
export interface RestLimits {
  /** One attempt to read, from when it has a connection to the last byte read. */
  readonly getMs: number;
  /** One write. Neither a disconnect of the caller nor the caller's deadline shortens it. */
  readonly writeMs: number;
  /** Size of a response, counted while reading. */
  readonly maxBytes: number;
}

/** How long connecting may take, in milliseconds: half of an attempt, so that it is known which of both was too slow. */
export function connectMsOf({ getMs }: Pick<RestLimits, 'getMs'>): number {
  return getMs / 2;
}

/** How many connections to a service may be open, and how many calls may wait for them. */
export interface ConnectionLimits {
  readonly reads: number;
  readonly writes: number;
  /** Calls that wait, for reads and writes each. */
  readonly queue: number;
  /** Whether the caller itself shares the connections for writes between their users. */
  readonly hasOwnWriteShares?: boolean;
  /** How long a connection for reads is kept open without a call, in milliseconds. */
  readonly keepAliveMs: number;
}

/** One service and how to call it. */
export interface RestServiceOptions {
  readonly service: ServiceName;
  readonly baseUrl: string;
  readonly limits: RestLimits;
  /** Items that one call asks for at most. */
  readonly pageMax: number;
  /** Whether calls need the caller's key. */
  readonly needsCredential: boolean;
  readonly connections: ConnectionLimits;
  /** If left out, no read is repeated, and every call is made. */
  readonly resilience?: Resilience;
  /** If left out, a rejected key is not remembered. */
  readonly keyCheck?: KeyCheck;
  /** Reads that requests of the same caller share. If left out, each request makes its own. */
  readonly flights?: Flights<unknown> | undefined;
  /** Whether every read is made, also if the request has made it before. */
  readonly readsAnew?: boolean;
  /** Whether what was read is frozen, so that a change of what requests share fails. */
  readonly freezesReads?: boolean;
  /** Called with the owner when a write begins, and when it has ended. */
  readonly onWrite?: (owner: string) => void;
  /** Called when a call has failed. If left out, nobody learns why. */
  readonly onFailure?: (failed: FailedCall) => void;
}

/** What the clients of a service share. */
export interface Service extends RestServiceOptions {
  readonly origin: string;
  /** Path of the base address, without a slash at its end. */
  readonly base: string;
  readonly reads: { readonly pool: Pool; readonly gate: Gate };
  readonly writes: { readonly pool: Pool; readonly gate: Gate | undefined };
}

/** What the connections of one kind do. */
export interface ConnectionUse {
  readonly used: number;
  readonly idle: number;
  /** Calls that have no connection yet. */
  readonly waiting: number;
}

/** What the connections to a service do. */
export interface ServiceUse {
  readonly reads: ConnectionUse;
  readonly writes: ConnectionUse;
}

function useOf({ pool, gate }: Service['writes']): ConnectionUse {
  const { running, free, queued } = pool.stats;
  return { used: running, idle: free, waiting: queued + (gate?.waiting ?? 0) };
}

/** Opens the connections to a service. */
export function openConnections(options: RestServiceOptions): {
  readonly service: Service;
  use(): ServiceUse;
  close(): Promise<void>;
} {
  const { origin, pathname } = new URL(options.baseUrl);
  const { connections } = options;
  const connect = { timeout: connectMsOf(options.limits) };
  const reads = new Pool(origin, {
    connect,
    connections: connections.reads,
    keepAliveTimeout: connections.keepAliveMs,
  });
  const writes = new Pool(origin, {
    connect,
    connections: connections.writes,
    pipelining: 0,
    // The witness of what was sent reads HTTP/1.
    allowH2: false,
  });
  const service = {
    ...options,
    origin,
    base: pathname.replace(/\/+$/, ''),
    reads: { pool: reads, gate: createGate(connections.reads, connections.queue) },
    writes: {
      pool: writes,
      gate: connections.hasOwnWriteShares
        ? undefined
        : createGate(connections.writes, connections.queue),
    },
  };
  return {
    service,
    use: () => ({ reads: useOf(service.reads), writes: useOf(service.writes) }),
    close: async () => {
      await Promise.all([reads.close(), writes.close()]);
    },
  };
}
