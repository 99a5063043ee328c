import { z } from 'zod';
import { setting } from '../settings/setting.ts';
import { decimal, integer } from '../settings/value-types.ts';

const connections = z.object({
  reads: setting('UPSTREAM_CONNECTIONS', integer(2, 10_000), {
    default: 64,
    description:
      'Maximum number of connections to each service for reads. One app key uses at most half of those that are free.',
  }),
  writes: setting('UPSTREAM_WRITE_CONNECTIONS', integer(2, 10_000), {
    default: 16,
    description:
      'Maximum number of connections to each service for writes that move no money. Every write opens one.',
  }),
  queue: setting('UPSTREAM_QUEUE', integer(0, 100_000), {
    default: 256,
    description:
      'How many calls to a service may wait for a connection. Another one fails with `OVERLOADED`, and nothing is sent.',
  }),
  keepAliveMs: setting('UPSTREAM_KEEP_ALIVE_MS', integer(100, 600_000), {
    default: 4_000,
    unit: 'milliseconds',
    description:
      'How long a connection for reads stays open without a call. Choose a shorter time than the service does, so that the gateway never sends a read on a connection that the service is closing.',
  }),
});

const resilience = z.object({
  retries: setting('UPSTREAM_GET_RETRIES', integer(0, 10), {
    default: 2,
    description:
      'How often the gateway repeats a read that fails because the connection breaks, no response arrives in time, or the status is 502, 503 or 504, or 429 with `Retry-After`. A write is never repeated.',
  }),
  totalMs: setting('UPSTREAM_GET_TOTAL_MS', integer(1, 300_000), {
    default: 8_000,
    unit: 'milliseconds',
    description: 'Time limit for a read with all its repeats.',
  }),
  retryBudget: z.object({
    ratio: setting('RETRY_BUDGET_RATIO', decimal(0, 1), {
      default: 0.2,
      description:
        'How many repeated reads each read adds to the retry budget of its service: 0.2 adds one for every five reads.',
    }),
    perSecond: setting('RETRY_BUDGET_PER_S', integer(0, 1_000), {
      default: 10,
      description: 'How many repeated reads each second adds to the retry budget of a service.',
    }),
  }),
  breaker: z.object({
    consecutive: setting('BREAKER_CONSECUTIVE', integer(0, 10_000), {
      default: 5,
      description:
        'After this number of consecutive calls without a complete response, or with the status 502, 503 or 504, the gateway stops calling the service for `BREAKER_OPEN_MS`. 0 turns the circuit breaker off. The other settings that begin with `BREAKER_` then have no effect.',
    }),
    ratio: setting('BREAKER_RATIO', decimal(0.01, 1), {
      default: 0.5,
      description:
        'The gateway also stops calling a service if this share of its calls in `BREAKER_WINDOW_MS` failed, for which other statuses from 500 on, redirects and invalid responses count, too.',
    }),
    minCalls: setting('BREAKER_MIN_CALLS', integer(1, 100_000), {
      default: 20,
      description:
        'Minimum number of calls in `BREAKER_WINDOW_MS` for which `BREAKER_RATIO` applies.',
    }),
    windowMs: setting('BREAKER_WINDOW_MS', integer(100, 600_000), {
      default: 10_000,
      unit: 'milliseconds',
      description: 'The time in which `BREAKER_RATIO` is measured.',
    }),
    openMs: setting('BREAKER_OPEN_MS', integer(1, 600_000), {
      default: 5_000,
      unit: 'milliseconds',
      description:
        'How long the gateway does not call a service that fails. Then one read tests the service. If that fails, the gateway waits again.',
    }),
  }),
});

const allowance = z.object({
  maxCalls: setting('MAX_UPSTREAM_CALLS', integer(1, 100_000), {
    default: 250,
    description: 'Maximum number of calls to services for one request.',
  }),
  maxBytes: setting('MAX_UPSTREAM_BYTES_TOTAL', integer(1_024, 1_024 ** 3), {
    default: 16 * 1_024 ** 2,
    unit: 'bytes',
    description: 'Maximum size of all responses of services for one request.',
  }),
});

const maxHeldBytes = setting('MAX_UPSTREAM_BYTES_HELD', integer(1_024 ** 2, 1_024 ** 3), {
  default: 64 * 1_024 ** 2,
  unit: 'bytes',
  description:
    'Maximum size of the responses of services that all running requests hold together, apart from money operations. A read for which there is no room fails with `OVERLOADED`. In memory, the content of a response takes several times its size. Set it to at least `MAX_UPSTREAM_BYTES_TOTAL`.',
});

const maxSearchCalls = setting('FILTER_MAX_CALLS', integer(1, 10_000), {
  default: 20,
  description:
    'Maximum number of calls to services to find the items of filtered lists, for all filtered lists of one request. A list that needs more returns a shorter page, from which the next request continues.',
});

/** How the gateway calls the services. */
export const upstreamSettings = {
  connections,
  resilience,
  allowance,
  maxHeldBytes,
  maxSearchCalls,
};
