import type { Program } from '../../../database/database.ts';
import { openDatabase, openExisting, type Storage } from '../../../database/open.ts';
import { feedMade, ordered, replica, told, webhookShares, webhooks } from './migrations.ts';
import { createReplicaStore, type ReplicaStore } from './replica-store.ts';

/**
 * How the replica's tables are kept apart. It has its own connections, so that neither queries nor
 * sync can make a money operation wait.
 */
export const replicaProgram: Program = {
  name: 'replica',
  urlSetting: 'DATABASE_URL',
  migrationTable: 'replica_migration',
  migrationLock: 7_112_003,
  // A query over a million records takes a second.
  patienceMs: 10_000,
  migrations: [replica, ordered, told, webhooks, webhookShares, feedMade],
};

const CONNECTIONS = 5;

/** Opens the tables of the replica and creates them if they do not exist. */
export async function openReplicaStore(storage: Storage): Promise<ReplicaStore> {
  const database = await openDatabase({ ...storage, connections: CONNECTIONS }, replicaProgram);
  // Only this process can use an embedded database, so whoever had a merchant or a delivery is gone.
  if (storage.databaseUrl === undefined) {
    await database.query(`UPDATE replica_merchant SET leased_until = '-infinity'`);
    await database.query(`UPDATE webhook_delivery SET leased_until = '-infinity'`);
  }
  return createReplicaStore(database);
}

/** Opens the tables of the replica for the operator; undefined if they do not exist. */
export async function openExistingReplicaStore(
  storage: Storage,
): Promise<ReplicaStore | undefined> {
  const database = await openExisting({ ...storage, connections: 1 }, replicaProgram);
  return database && createReplicaStore(database);
}
