import { describeStorage, openDatabase, type Storage } from '../../../database/open.ts';
import type { Program } from '../../../database/program.ts';
import { operations } from './001-operations.ts';
import type { OperationStore } from './operation-store.ts';
import { createSqlStore } from './sql-store.ts';

/** How the gateway's data is told from the sandbox's. */
export const gatewayProgram: Program = {
  name: 'gateway',
  urlSetting: 'DATABASE_URL',
  migrationTable: 'store_migration',
  migrationLock: 7_112_002,
  // A gateway answers without its store after two seconds; no statement must wait longer.
  patienceMs: 2_000,
  migrations: [operations],
};

/** Where operations are kept, and how long a process may hold one. */
export interface StoreOptions extends Storage {
  readonly leaseMs: number;
}

/** Where operations are kept, in words without a password. */
export function describeStore(options: StoreOptions): string {
  return describeStorage(options);
}

/**
 * Opens the store of money operations. An embedded store belongs to this process alone, so
 * whatever another one was doing there when it ended is over at once.
 */
export async function openStore(options: StoreOptions): Promise<OperationStore> {
  const database = await openDatabase(options, gatewayProgram);
  if (options.databaseUrl === undefined) {
    await database.query(
      `UPDATE money_operation SET lease_until = now() WHERE lease_until IS NOT NULL`,
    );
  }
  const store = createSqlStore(database, options.leaseMs);
  await store.sweep(NEVER);
  return store;
}

/** Days after which the start forgets what has ended; the upkeep knows the setting. */
const NEVER = 36_500;
