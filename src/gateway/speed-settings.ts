import { z } from 'zod';
import { setting } from '../settings/setting.ts';
import { integer, oneOf, onOrOff } from '../settings/value-types.ts';

/** What makes the gateway faster. Each part can be turned off, and answers stay the same. */
export const speedSettings = {
  coalesce: z.object({
    mode: setting('COALESCE', oneOf('off', 'upstream', 'operation'), {
      default: 'operation',
      description:
        'Which work requests with the same credential share while it is in flight: `operation` for queries with the same body, and reads of the services; `upstream` for reads of the services only; `off` for nothing. A request that begins after a write never shares what began before it.',
    }),
    epoch: setting('COALESCE_EPOCH', oneOf('credential', 'process'), {
      default: 'credential',
      description:
        'Which requests share nothing that began before a write: `credential` for those with the credential that wrote, `process` for all requests of the process.',
    }),
  }),
  freezesReads: setting('FREEZE_SHARED', onOrOff, {
    default: 'off',
    description:
      'Whether the gateway freezes the data that it reads from the services. Code that changes shared data then throws an error. For development, because it takes time.',
  }),
  fastPath: setting('FAST_PATH', onOrOff, {
    default: 'on',
    description:
      'Whether usual requests are answered without the HTTP layer of graphql-yoga. The responses are the same.',
  }),
  readsAhead: setting('READ_AHEAD', onOrOff, {
    default: 'on',
    description:
      'Whether the transactions and balance lines of `Query.merchant` are read at the same time as the merchant. If the merchant does not exist, these calls are wasted: at most 4 for each request. They count towards `MAX_UPSTREAM_CALLS` and `MAX_UPSTREAM_BYTES_TOTAL`; otherwise the responses are the same.',
  }),
  plans: z.object({
    isEnabled: setting('JIT', onOrOff, {
      default: 'on',
      description:
        'Whether the gateway compiles queries that it receives more than once. The responses are the same.',
    }),
    count: setting('PLAN_CACHE', integer(1, 10_000), {
      default: 1_000,
      description:
        'How many compiled queries the gateway keeps. Together they take at most about 32 MiB.',
    }),
  }),
};
