import type { Database } from '../../src/database/database.ts';
import { openDatabase, type Storage } from '../../src/database/open.ts';
import { gatewayProgram, openStore } from '../../src/gateway/operation/store/open-store.ts';
import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { createSqlStore } from '../../src/gateway/operation/store/sql-store.ts';
import { patientStore } from '../support/patience.ts';
import { preparedDataDir, preparedPostgres } from '../support/storage.ts';

/** An empty store in PGlite, whatever else this project of tests uses. */
export async function openPglite(leaseMs: number = patientStore.leaseMs): Promise<OperationStore> {
  return openStore({ ...patientStore, dataDir: preparedDataDir(), leaseMs });
}

/** A store in PostgreSQL: an empty one, or one that others have open too. */
export async function openPostgres(
  databaseUrl?: string,
  leaseMs: number = patientStore.leaseMs,
): Promise<OperationStore> {
  return openStore({
    ...patientStore,
    databaseUrl: databaseUrl ?? (await preparedPostgres()),
    leaseMs,
  });
}

/** For a gateway of a test that closes its store itself. */
export function keptOpen(store: OperationStore): OperationStore {
  return { ...store, close: async () => {} };
}

/** A store together with its database, in which a test moves dates. */
export interface OpenedStore {
  readonly store: OperationStore;
  readonly database: Database;
}

async function withDatabase(storage: Storage): Promise<OpenedStore> {
  const database = await openDatabase(storage, {
    ...gatewayProgram,
    patienceMs: patientStore.patienceMs,
  });
  return { store: createSqlStore(database, patientStore.leaseMs), database };
}

/** An empty store in either database. */
export const openedStores: [string, () => Promise<OpenedStore>][] = [
  ['PGlite', async () => withDatabase({ dataDir: preparedDataDir() })],
  ['PostgreSQL', async () => withDatabase({ databaseUrl: await preparedPostgres() })],
];
