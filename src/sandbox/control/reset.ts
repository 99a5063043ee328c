import { z } from 'zod';
import type { DescribedRoute } from '../http/operation.ts';
import { reset } from '../state/reset.ts';
import type { Controlled } from './controlled.ts';
import { time } from './fields.ts';
import { defineOperation } from './operation.ts';
import { snapshotName } from './snapshots.ts';

const target = z.strictObject({
  to: z
    .union([z.enum(['demo', 'empty']), z.strictObject({ snapshot: snapshotName })])
    .default('demo')
    .describe('The demo data, only the demo app, or the records of a snapshot.'),
  time: time.optional().describe('What the clock reads afterwards.'),
});

/** Replaces all records. */
export function resetOperations({
  environment,
  clock,
  exclusively,
  afterReset,
  faults,
}: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/reset',
      summary:
        'Replace all records and remove all faults. The demo app keeps its key; ids are not used again.',
      body: target,
      handle: ({ body }) =>
        exclusively(async () => {
          const readsThen = body.time === undefined ? undefined : new Date(body.time);
          await reset(environment, clock, body.to, readsThen);
          faults.clear();
          await afterReset();
        }),
    }),
  ];
}
