import type { Database, Program } from '../../../database/database.ts';
import {
  describeStorage,
  openDatabase,
  openExisting,
  type Storage,
} from '../../../database/open.ts';
import {
  lateOutcomes,
  operationLists,
  operations,
  rateCount,
  rateLimit,
  shownOperations,
} from './migrations.ts';
import { createSqlStore, type SqlStore } from './sql-store.ts';

/** How the gateway's tables are kept apart from the sandbox's. */
export const gatewayProgram: Program = {
  name: 'gateway',
  urlSetting: 'DATABASE_URL',
  withoutData:
    'Never use an empty database in its place: operations that clients repeat would move money twice.',
  migrationTable: 'store_migration',
  migrationLock: 7_112_002,
  // The gateway stops waiting for its store after two seconds, so no statement may take longer.
  patienceMs: 2_000,
  migrations: [operations, operationLists, rateLimit, rateCount, shownOperations, lateOutcomes],
  // The later ones add only tables, indexes, and a column with a default.
  oldestCompatible: 1,
};

/** Where operations are stored, and how long a process may hold one. */
export interface StoreOptions extends Storage {
  readonly leaseMs: number;
  /** Time limit of a statement on a server, in milliseconds; 2 s if left out. */
  readonly patienceMs?: number;
}

/** Describes where operations are stored, without the password. */
export function describeStore(options: StoreOptions): string {
  return describeStorage(options);
}

/** Opens the store of money operations and creates it if it does not exist. */
export async function openStore(options: StoreOptions): Promise<SqlStore> {
  const database = await openDatabase(options, programFor(options));
  const store = await toStore(database, options);
  // The time since the last sweep does not count, because it is possible that no process ran.
  await store.sweep({ retentionDays: NEVER, ownMs: 0 });
  return store;
}

/**
 * Opens the store of money operations for the operator; undefined if there is none. Creates
 * and upgrades nothing, and leaves the store's clock to the gateway.
 */
export async function openExistingStore(options: StoreOptions): Promise<SqlStore | undefined> {
  const database = await openExisting(options, programFor(options));
  return database && toStore(database, options);
}

function programFor({ patienceMs }: StoreOptions): Program {
  return patienceMs === undefined ? gatewayProgram : { ...gatewayProgram, patienceMs };
}

/**
 * An embedded store belongs to this process alone, so the leases of earlier processes end
 * immediately.
 */
async function toStore(database: Database, options: StoreOptions): Promise<SqlStore> {
  if (options.databaseUrl === undefined) {
    await database.query(
      `UPDATE money_operation SET lease_until = now() WHERE lease_until IS NOT NULL`,
    );
  }
  return createSqlStore(database, options.leaseMs);
}

/** Days of retention with which the start deletes nothing. Maintenance applies the setting. */
const NEVER = 36_500;
