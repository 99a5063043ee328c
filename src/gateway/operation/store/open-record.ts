import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FolderInUseError } from '../../../database/folder-lock.ts';
import { describeStorage, type Storage } from '../../../database/open.ts';
import { gatewayProgram, openStore, type StoreOptions } from './open-store.ts';
import type { OperationStore } from './operation-store.ts';

/** There is no record to be opened, or a gateway has it open; the message says what to do. */
export class RecordError extends Error {}

/** Opens the record that a gateway has made, for the operator; never makes one. */
export async function openRecord(options: StoreOptions): Promise<OperationStore> {
  if (!exists(options)) {
    throw new RecordError(
      `There is no record of money operations in ${describeStorage(options)}. Set DATA_DIR or DATABASE_URL as the gateway has it.`,
    );
  }
  try {
    return await openStore(options);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new RecordError(`${error.holder} Stop that gateway first.`);
  }
}

/** Of a PostgreSQL that shows when it opens. */
function exists({ databaseUrl, dataDir }: Storage): boolean {
  if (databaseUrl !== undefined || dataDir === undefined) return true;
  return existsSync(join(dataDir, gatewayProgram.name));
}
