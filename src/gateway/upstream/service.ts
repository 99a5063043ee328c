import { buildConnector, errors, Pool } from 'undici';
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
  /** One write. Neither a disconnect of the caller nor its deadline shortens it. */
  readonly writeMs: number;
  /** Size of a response, counted while reading. */
  readonly maxBytes: number;
}

/**
 * Time limit for connecting, in milliseconds: half of an attempt, so that a timeout shows whether
 * connecting or responding was too slow.
 */
export function connectMsOf({ getMs }: Pick<RestLimits, 'getMs'>): number {
  return getMs / 2;
}

/** How many connections to a service may be open, and how many calls may wait for them. */
export interface ConnectionLimits {
  readonly reads: number;
  readonly writes: number;
  /** Maximum waiting calls, for reads and writes each. */
  readonly queue: number;
  /** Whether the caller itself shares the connections for writes between their users. */
  readonly hasOwnWriteShares?: boolean;
  /** How long an idle connection for reads is kept open, in milliseconds. */
  readonly keepAliveMs: number;
}

/** One service and how to call it. */
export interface RestServiceOptions {
  readonly service: ServiceName;
  readonly baseUrl: string;
  readonly limits: RestLimits;
  /** Maximum items of a list per call. */
  readonly pageMax: number;
  /** Whether calls need the caller's key. */
  readonly needsCredential: boolean;
  readonly connections: ConnectionLimits;
  /** Without it, reads are not retried and calls are never stopped. */
  readonly resilience?: Resilience;
  /** Without it, rejected keys are not remembered. */
  readonly keyCheck?: KeyCheck;
  /** Reads that requests of the same caller share. Without it, each request makes its own. */
  readonly flights?: Flights<unknown> | undefined;
  /** Whether to repeat reads that the request has already made. */
  readonly readsFresh?: boolean;
  /** Whether to freeze what was read, so that changing shared data fails. */
  readonly freezesReads?: boolean;
  /** Called with the owner when a write starts and when it has ended. */
  readonly onWrite?: (owner: string) => void;
  /** Called when a call fails. */
  readonly onFailure?: (failed: FailedCall) => void;
}

/** What the clients of a service share. */
export interface Service extends RestServiceOptions {
  readonly origin: string;
  /** Path of the base URL, without a trailing slash. */
  readonly base: string;
  readonly reads: { readonly pool: Pool; readonly gate: Gate };
  readonly writes: { readonly pool: Pool; readonly gate: Gate | undefined };
}

/** The use of one kind of connections. */
export interface ConnectionUse {
  readonly used: number;
  readonly idle: number;
  /** Calls waiting for a connection. */
  readonly waiting: number;
}

/** The use of the connections to a service. */
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
    connect: connectOnce(connect),
    connections: connections.writes,
    pipelining: 0,
    // The sent witness reads only HTTP/1.
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

/**
 * Opens connections that are used once. undici closes each of them with an error, whose stack Node
 * would format.
 */
function connectOnce(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, allowH2: false });
  return (target, callback) =>
    connect(target, (...connected) => {
      const [, socket] = connected;
      // Neither null nor there if the connection failed.
      if (socket) {
        const { destroy } = socket;
        socket.destroy = (error) => {
          if (error instanceof errors.InformationalError) error.stack = error.message;
          return destroy.call(socket, error);
        };
      }
      callback(...connected);
    });
}
