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
      'How long a connection for reads stays open without a call. Choose less than the service does, so that no read meets a connection that is being closed.',
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
        'How many repeats each read of a service allows, in addition to `RETRY_BUDGET_PER_S`.',
    }),
    perSecond: setting('RETRY_BUDGET_PER_S', integer(0, 1_000), {
      default: 10,
      description: 'How many repeats of reads of a service every second allows.',
    }),
  }),
  breaker: z.object({
    consecutive: setting('BREAKER_CONSECUTIVE', integer(0, 10_000), {
      default: 5,
      description:
        'After this number of failed calls in succession, the gateway stops calling the service for `BREAKER_OPEN_MS`. 0 turns this off, and all settings that begin with `BREAKER_`.',
    }),
    ratio: setting('BREAKER_RATIO', decimal(0.01, 1), {
      default: 0.5,
      description: 'It also stops if this share of the calls in `BREAKER_WINDOW_MS` failed.',
    }),
    minCalls: setting('BREAKER_MIN_CALLS', integer(1, 100_000), {
      default: 20,
      description: 'Number of calls in `BREAKER_WINDOW_MS` from which that share counts.',
    }),
    windowMs: setting('BREAKER_WINDOW_MS', integer(100, 600_000), {
      default: 10_000,
      unit: 'milliseconds',
      description: 'The time for which that share is measured.',
    }),
    openMs: setting('BREAKER_OPEN_MS', integer(1, 600_000), {
      default: 5_000,
      unit: 'milliseconds',
      description:
        'How long the gateway does not call a service that fails. Then it makes one read, and if that fails, it waits again.',
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

const maxSearchCalls = setting('FILTER_MAX_CALLS', integer(1, 10_000), {
  default: 20,
  description:
    'Maximum number of calls to services to find the items of filtered lists, for all filtered lists of one request. A list that needs more returns a shorter page, from which the next request continues.',
});

/** How the gateway calls the services. */
export const upstreamSettings = { connections, resilience, allowance, maxSearchCalls };
