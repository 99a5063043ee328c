import { createEmbedded } from '../../../database/embedded.ts';
import { FolderInUseError } from '../../../database/folder-lock.ts';
import { DataVersionError } from '../../../database/migrate.ts';
import { describeStorage } from '../../../database/open.ts';
import { openExistingStore, type StoreOptions } from '../store/open-store.ts';
import type { OperatorStore } from '../store/operation-store.ts';
import { OperatorError } from './operator.ts';

/**
 * Opens the store of money operations that a gateway created, in the version of this program.
 * Creates and upgrades nothing. Throws an {@link OperatorError} that says what to do.
 */
export async function openForOperator(options: StoreOptions): Promise<OperatorStore> {
  try {
    const { dataDir } = options;
    const embedded = createEmbedded({ dataDir });
    const store = await openExistingStore({ ...options, embedded });
    if (store !== undefined) return store;
  } catch (error) {
    if (error instanceof DataVersionError) throw new OperatorError(error.message);
    if (!(error instanceof FolderInUseError)) throw error;
    throw new OperatorError(
      `${error.holder} With the embedded database, stop the gateway before you run this command.`,
    );
  }
  throw new OperatorError(
    `There is no store of money operations in ${describeStorage(options)}. Set DATA_DIR or DATABASE_URL as for the gateway.`,
  );
}
