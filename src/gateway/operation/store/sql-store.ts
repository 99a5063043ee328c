import type { Database } from '../../../database/database.ts';
import { claim } from './claim.ts';
import { listEvents } from './events.ts';
import { claimedEntries, countSucceeded, findOne, list, listUnknown } from './find.ts';
import { endLeases } from './leases.ts';
import type { OperationStore } from './operation-store.ts';
import { record } from './record.ts';
import { repost, startSending } from './sending.ts';
import { settle } from './settle.ts';
import { sweep } from './sweep.ts';

/**
 * The operations in PostgreSQL or PGlite; the statements are the same.
 *
 * @param leaseMs how long a process may work on an operation, in milliseconds
 */
export function createSqlStore(database: Database, leaseMs: number): OperationStore {
  const lease = `now() + interval '${Math.round(leaseMs)} milliseconds'`;
  return {
    find: (merchantId, key) =>
      database.transaction(async (tx) => {
        const where = 'merchant_id = $1 AND key = $2';
        await endLeases(tx, { where, values: [merchantId, key] });
        return findOne(tx, where, [merchantId, key]);
      }),
    claim: (intent) => database.transaction((tx) => claim(tx, intent, lease)),
    startSending: (operation, snapshot) =>
      database.transaction((tx) => startSending(tx, operation, snapshot, lease)),
    repost: (operation) => database.transaction((tx) => repost(tx, operation, lease)),
    record: (operation, change) => record(database, operation, change),
    countSucceeded: (operation) => countSucceeded(database, operation),
    claimedEntries: (refs) => claimedEntries(database, refs),
    sweep: (retentionDays) => database.transaction((tx) => sweep(tx, retentionDays)),
    list: (open, limit) => list(database, open, limit),
    listUnknown: (after, limit) => listUnknown(database, after, limit),
    history: (id) => listEvents(database, id),
    settle: (id, settlement) => database.transaction((tx) => settle(tx, id, settlement)),
    close: () => database.close(),
  };
}
