import { openAsBlob } from 'node:fs';
import { inject } from 'vitest';
import { type Database, openInMemory, openServer } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { gatewayProgram, openStore } from '../../src/gateway/operation/store/open-store.ts';
import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { createSqlStore } from '../../src/gateway/operation/store/sql-store.ts';
import { createDatabase } from '../support/postgres-server.ts';

const LEASE_MS = 30_000;

/** An empty store in PGlite, whatever else this project of tests uses. */
export async function openPglite(leaseMs: number = LEASE_MS): Promise<OperationStore> {
  return openStore({ template: await openAsBlob(inject('template')), leaseMs });
}

/** A store in PostgreSQL: an empty one, or one that others have open too. */
export async function openPostgres(
  databaseUrl?: string,
  leaseMs: number = LEASE_MS,
): Promise<OperationStore> {
  return openStore({ databaseUrl: databaseUrl ?? (await emptyPostgres()), leaseMs });
}

/** Address of an empty PostgreSQL database. */
export function emptyPostgres(): Promise<string> {
  return createDatabase(inject('postgresUrl'));
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

async function withDatabase(database: Database): Promise<OpenedStore> {
  await migrate(database, gatewayProgram);
  return { store: createSqlStore(database, LEASE_MS), database };
}

/** An empty store in either database. */
export const openedStores: [string, () => Promise<OpenedStore>][] = [
  ['PGlite', async () => withDatabase(await openInMemory(await openAsBlob(inject('template'))))],
  [
    'PostgreSQL',
    async () => withDatabase(await openServer(await emptyPostgres(), gatewayProgram.patienceMs)),
  ],
];
