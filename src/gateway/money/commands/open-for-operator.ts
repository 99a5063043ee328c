import { createEmbedded } from '../../../database/embedded.ts';
import { FolderInUseError } from '../../../database/folder-lock.ts';
import { DataVersionError } from '../../../database/migrate.ts';
import { describeStorage, type Storage } from '../../../database/open.ts';
import { openExistingStore, type StoreOptions } from '../store/open-store.ts';
import type { OperatorStore } from '../store/operation-store.ts';
import { OperatorError } from './operator.ts';

/**
 * Opens the store of money operations that a gateway created, in the version of this program.
 * Creates and upgrades nothing. Throws an {@link OperatorError} that says what to do.
 */
export function openForOperator(options: StoreOptions): Promise<OperatorStore> {
  return openOrExplain(options, openExistingStore, 'store of money operations');
}

/**
 * Opens what a gateway has stored. Throws an {@link OperatorError} that says what to do.
 *
 * @param open resolves to undefined if nothing is stored
 * @param name what is opened, in words
 */
export async function openOrExplain<Options extends Storage, Opened>(
  options: Options,
  open: (options: Options) => Promise<Opened | undefined>,
  name: string,
): Promise<Opened> {
  try {
    const { dataDir } = options;
    const opened = await open({ ...options, embedded: createEmbedded({ dataDir }) });
    if (opened !== undefined) return opened;
  } catch (error) {
    if (error instanceof DataVersionError) throw new OperatorError(error.message);
    if (!(error instanceof FolderInUseError)) throw error;
    throw new OperatorError(
      `${error.holder} With the embedded database, stop the gateway before you run this command.`,
    );
  }
  throw new OperatorError(
    `There is no ${name} in ${describeStorage(options)}. Set DATA_DIR or DATABASE_URL as for the gateway.`,
  );
}
