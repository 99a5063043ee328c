import type { Change } from './change.ts';
import type { Operation } from './operation.ts';
import type { Parts } from './parts.ts';
import type { Held } from './store/operation-store.ts';

const PAUSE_MS = 1_000;
const ATTEMPTS = 60;

/**
 * Records a change, and tries again while the store is not available: what the service
 * responded is not known to anybody else. It is safe to record a change twice, and a change
 * that somebody else has overtaken has no effect.
 */
export async function recordPersistently(
  { store, clock, background, report }: Parts,
  operation: Held,
  change: Change,
): Promise<Operation | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.record(operation, change);
    } catch (error) {
      if (attempt === 1) {
        report(
          `the outcome of money operation ${operation.id} could not be recorded yet: ${change.to}`,
        );
      }
      if (attempt === ATTEMPTS || background.isClosing) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}
