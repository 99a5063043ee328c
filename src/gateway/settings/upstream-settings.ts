import { z } from 'zod';
import { constant, setting } from '../../settings/setting.ts';
import { integer, oneOf, onOrOff } from '../../settings/value-types.ts';

const connections = z.object({
  reads: setting('UPSTREAM_CONNECTIONS', integer(2, 10_000), {
    default: 64,
    description:
      'Maximum number of connections to each service for reads. One app key uses at most half of the connections that others leave free.',
  }),
  /** Maximum number of connections to each service for writes that move no money. */
  writes: constant(16),
  /** How many calls to a service may wait for a connection. */
  queue: constant(4_096),
  /** How long a connection for reads stays open without a call. */
  keepAliveMs: constant(4_000),
});

const resilience = z.object({
  retries: setting('UPSTREAM_GET_RETRIES', integer(0, 10), {
    default: 2,
    description:
      'How many times the gateway retries a read after a broken connection, a timeout, a 502, 503 or 504, or a 429 with `Retry-After`. Writes are never retried.',
  }),
  /** Time limit for a read with all its repeats. */
  totalMs: constant(8_000),
  retryBudget: z.object({
    /** How many repeated reads each read adds to the retry budget of its service: 0.2 adds one for every five reads. */
    ratio: constant(0.2),
    /** How many repeated reads each second adds to the retry budget of a service. */
    perSecond: constant(10),
  }),
  breaker: z.object({
    consecutive: setting('BREAKER_CONSECUTIVE', integer(0, 10_000), {
      default: 5,
      description:
        'Number of consecutive calls that must fail, without a complete response or with 502, 503 or 504, before the gateway stops calling the service for five seconds. It also stops if at least half of 20 or more calls in ten seconds failed in any way. 0 turns the circuit breaker off.',
    }),
    /** The breaker also opens if this share of the calls in the window failed, for which other statuses from 500 on, redirects and invalid responses count, too. */
    ratio: constant(0.5),
    /** How many calls the window needs for that. */
    minCalls: constant(20),
    /** The window. */
    windowMs: constant(10_000),
    /** How long the gateway does not call a service that fails. */
    openMs: constant(5_000),
  }),
});

const allowance = z.object({
  maxCalls: setting('MAX_UPSTREAM_CALLS', integer(1, 100_000), {
    default: 250,
    description: 'Maximum number of calls to services for one request.',
  }),
  /** Maximum size of all responses of services for one request. */
  maxBytes: constant(16 * 1_024 ** 2),
});

const maxHeldBytes = setting('MAX_UPSTREAM_BYTES_HELD', integer(1_024 ** 2, 1_024 ** 3), {
  default: 64 * 1_024 ** 2,
  unit: 'bytes',
  description:
    'Maximum total size of the service responses that all running requests hold, not counting money operations. A read that would exceed it fails with `OVERLOADED`. In memory, a response takes several times its size. One request reads up to 16 MiB.',
});

const maxSearchCalls = setting('FILTER_MAX_CALLS', integer(1, 10_000), {
  default: 20,
  description:
    'Maximum number of calls to services that all filtered lists of one request make in total to find their items. A list that needs more returns a shorter page, from which the next request continues.',
});

/** How the gateway calls the services. */
export const upstreamSettings = {
  connections,
  resilience,
  allowance,
  maxHeldBytes,
  maxSearchCalls,
};

/** What makes the gateway faster. Each part can be turned off, and answers stay the same. */
export const speedSettings = {
  coalesce: z.object({
    mode: setting('COALESCE', oneOf('off', 'upstream', 'operation'), {
      default: 'operation',
      description:
        'What concurrent requests with the same credential share. `operation`: identical queries and service reads. `upstream`: only service reads. `off`: nothing. A request that starts after a write never shares work that started before it.',
    }),
    /** Which requests share nothing that began before a write: `credential` for those with the credential that wrote, `process` for all requests of the process. */
    epoch: constant<'credential' | 'process'>('credential'),
  }),
  /** Whether the gateway freezes the data that it reads from the services. */
  freezesReads: constant(false),
  fastPath: setting('FAST_PATH', onOrOff, {
    default: 'on',
    description: 'Whether common requests bypass the HTTP layer of graphql-yoga.',
  }),
  /** Whether the transactions and balance lines of `Query.merchant` are read at the same time as the merchant. */
  readsAhead: constant(true),
  plans: z.object({
    isEnabled: setting('JIT', onOrOff, {
      default: 'on',
      description: 'Whether the gateway compiles operations that it receives more than once.',
    }),
    /** How many compiled operations the gateway keeps. */
    count: constant(1_000),
  }),
};
