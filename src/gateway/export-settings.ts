import { z } from 'zod';
import { constant, setting } from '../settings/setting.ts';
import { integer } from '../settings/value-types.ts';

/** The limits of exports. */
export const exportSettings = z.object({
  /** Maximum number of items in one export. */
  maxItems: constant(1_000_000),
  /** Time limit for an export. */
  maxMs: constant(3_600_000),
  /** How many exports may run at the same time. */
  inFlight: constant(2),
  maxCallsPerSecond: setting('EXPORT_MAX_CALLS_PER_S', integer(0, 10_000), {
    default: 20,
    description: 'How many calls to a service one export makes in a second. 0 means no limit.',
  }),
});
