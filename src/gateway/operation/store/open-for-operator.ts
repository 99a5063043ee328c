import { FolderInUseError } from '../../../database/folder-lock.ts';
import { describeStorage } from '../../../database/open.ts';
import { openExistingStore, type StoreOptions } from './open-store.ts';
import type { OperationStore } from './operation-store.ts';

/** The record of money operations does not exist, or a gateway has it open. The message says what to do. */
export class RecordError extends Error {}

/** Opens the record of money operations that a gateway created. Creates none in DATA_DIR. */
export async function openForOperator(options: StoreOptions): Promise<OperationStore> {
  try {
    const store = await openExistingStore(options);
    if (store !== undefined) return store;
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new RecordError(`${error.holder} Stop that process first.`);
  }
  throw new RecordError(
    `There is no record of money operations in ${describeStorage(options)}. Set DATA_DIR or DATABASE_URL as for the gateway.`,
  );
}
