import { z } from 'zod';
import { constant, setting } from '../../settings/setting.ts';
import { oneOf, onOrOff } from '../../settings/value-types.ts';

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
      description: 'Whether the gateway compiles queries that it receives more than once.',
    }),
    /** How many compiled queries the gateway keeps. */
    count: constant(1_000),
  }),
};
