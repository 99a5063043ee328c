import { z } from 'zod';
import { setting } from '../settings/setting.ts';
import { integer } from '../settings/value-types.ts';

/** The limits of exports. */
export const exportSettings = z.object({
  maxItems: setting('EXPORT_MAX_ITEMS', integer(1, 1_000_000_000), {
    default: 1_000_000,
    description:
      'Maximum number of items in one export. To export more, send another export with `after`.',
  }),
  maxMs: setting('EXPORT_MAX_MS', integer(1_000, 86_400_000), {
    default: 3_600_000,
    unit: 'milliseconds',
    description: 'Time limit for an export.',
  }),
  inFlight: setting('EXPORTS_IN_FLIGHT', integer(0, 1_000), {
    default: 2,
    description: 'How many exports may run at the same time. 0 turns them off.',
  }),
  maxCallsPerSecond: setting('EXPORT_MAX_CALLS_PER_S', integer(0, 10_000), {
    default: 20,
    description: 'How many calls to a service one export makes in a second. 0 means no limit.',
  }),
});
