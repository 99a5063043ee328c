import pg from 'pg';
import { inject } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { openDatabase, type Storage } from '../../../src/database/open.ts';
import { gatewayProgram, openStore } from '../../../src/gateway/money/store/open-store.ts';
import type { OperationStore } from '../../../src/gateway/money/store/operation-store.ts';
import { createSqlStore, type SqlStore } from '../../../src/gateway/money/store/sql-store.ts';
import { patientStore } from '../../support/patience.ts';
import { preparedDataDir, preparedPostgres } from '../../support/storage.ts';

const LEASE_MS = 30_000;
const PATIENCE = { patienceMs: patientStore.patienceMs };

/** Opens an empty store in PGlite, whatever database this project of tests uses. */
export async function openPglite(leaseMs: number = LEASE_MS): Promise<SqlStore> {
  return openStore({ dataDir: preparedDataDir(), leaseMs });
}

/** Opens a store in PostgreSQL: in a new, empty database unless one is given. */
export async function openPostgres(
  databaseUrl?: string,
  leaseMs: number = LEASE_MS,
): Promise<SqlStore> {
  return openStore({ databaseUrl: databaseUrl ?? (await preparedPostgres()), leaseMs });
}

/** The store for a gateway that must not close it. */
export function keepOpen(store: OperationStore): OperationStore {
  return { ...store, close: async () => {} };
}

/** Ends all leases in a PostgreSQL database at once, as if their time had passed. */
export async function endLeases(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'UPDATE money_operation SET lease_until = now() WHERE lease_until IS NOT NULL',
  );
  await client.end();
}

/** A store together with its database, in which a test changes dates and ids. */
export interface OpenedStore {
  readonly store: SqlStore;
  readonly database: Database;
}

async function withDatabase(storage: Storage): Promise<OpenedStore> {
  // A sweep that fails on a slow machine would be repeated only after a pause of its own.
  const database = await openDatabase(storage, { ...gatewayProgram, ...PATIENCE });
  return { store: createSqlStore(database, LEASE_MS), database };
}

/** Opens an empty store in PGlite, together with its database. */
export async function openPgliteWithDatabase(): Promise<OpenedStore> {
  return withDatabase({ dataDir: preparedDataDir() });
}

/** Opens an empty store in PostgreSQL, together with its database. */
export async function openPostgresWithDatabase(): Promise<OpenedStore> {
  return withDatabase({ databaseUrl: await preparedPostgres() });
}

/** Both kinds of store, each with the function that opens an empty one with its database. */
export const storesWithDatabase: [string, () => Promise<OpenedStore>][] = [
  ['PGlite', openPgliteWithDatabase],
  ['PostgreSQL', openPostgresWithDatabase],
];

const postgresAlone: [string, () => Promise<SqlStore>][] = [['PostgreSQL', () => openPostgres()]];

/**
 * Stores for tests of what a gateway does with one. What a store does is the same in PGlite, as
 * `store.test.ts` shows every day, so there these tests run only in the long tests.
 */
export const storesOfGateways =
  inject('scale') === 1
    ? postgresAlone
    : [...postgresAlone, ['PGlite', () => openPglite()] as (typeof postgresAlone)[number]];
