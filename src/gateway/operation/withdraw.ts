import type { Parts } from './parts.ts';
import { recordPersistently } from './record-persistently.ts';
import { FIRST_EPOCH } from './store/operation-store.ts';
import { StoreUnavailableError } from './store/store-timeout.ts';

/**
 * Removes an operation that the store may have claimed although the claim failed. Nothing was
 * sent for it. Its key and its lock key would otherwise be taken until the lease ends.
 *
 * @param error what the claim failed with; a store that was too late is waited for
 */
export async function withdraw(parts: Parts, id: string, error: unknown): Promise<void> {
  if (error instanceof StoreUnavailableError) await error.ended;
  await recordPersistently(parts, { id, epoch: FIRST_EPOCH }, { to: 'REMOVED' });
}
