import { randomBytes, randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../../database/database.ts';
import { isInProgress } from '../engine/operation.ts';
import { claim, repost, retake, startSending } from './claim.ts';
import { endLeases, listEvents } from './events.ts';
import { countOpen, knownEntries, listOfMerchant, listSucceeded, type OpenCount } from './lists.ts';
import { findByKey, findOne, list, listUnknown } from './operation-row.ts';
import type { OperationStore, OperatorStore } from './operation-store.ts';
import { markReturned, record } from './record.ts';
import { reopen, settle, view, viewOne, waive } from './settle.ts';
import { createShownOperations, type ShownOperations } from './shown.ts';
import { sweep } from './sweep.ts';

/** The store of the gateway and of its operator. */
export type SqlStore = OperationStore &
  OperatorStore & {
    /**
     * Removes all operations, with their histories. Only for a sandbox whose records were replaced:
     * against a real service, a key would then move money twice.
     */
    removeAll(): Promise<void>;
    /** The salt with which all gateways on the database compute the digests of callers. */
    readSalt(): Promise<Uint8Array>;
    /** Counts the operations that are not final, by state and age. */
    countOpen(): Promise<OpenCount[]>;
    /** Which operations the replica does not show yet. */
    readonly shown: ShownOperations;
  };

/**
 * The operations in PostgreSQL or PGlite; the statements are the same.
 *
 * @param leaseMs how long a process may work on an operation, in milliseconds
 */
export function createSqlStore(database: Database, leaseMs: number): SqlStore {
  const lease = `now() + interval '${Math.round(leaseMs)} milliseconds'`;
  return {
    find: async (merchantId, key) => {
      const where = 'merchant_id = $1 AND key = $2';
      const values = [merchantId, key];
      const known = await findByKey(database, merchantId, key);
      // One statement in most cases, because every request begins with this.
      if (known === undefined || !isInProgress(known)) return known;
      return database.transaction(async (tx) => {
        await endLeases(tx, { where, values });
        return findOne(tx, where, values);
      });
    },
    claim: (intent, id = randomUUID()) => claim(database, intent, id, lease),
    startSending: (operation, snapshot, ifFirst) =>
      startSending(database, operation, snapshot, ifFirst, lease),
    retake: (operation) => retake(database, operation),
    repost: (operation, posts) => database.transaction((tx) => repost(tx, operation, posts, lease)),
    record: (operation, change) => record(database, operation, change),
    knownEntries: (transactionId) => knownEntries(database, transactionId),
    listSucceeded: (operation) => listSucceeded(database, operation),
    markReturned: (operation) => database.transaction((tx) => markReturned(tx, operation)),
    sweep: (given) => database.transaction((tx) => sweep(tx, given)),
    list: (open, limit) => list(database, open, limit),
    listUnknown: (after, limit) => listUnknown(database, after, limit),
    listOfMerchant: (query) => listOfMerchant(database, query),
    history: (id) => listEvents(database, id),
    settle: (id, settlement) => settle(database, id, settlement),
    view: (filter) => database.transaction((tx) => view(tx, filter)),
    viewOne: (id) => database.transaction((tx) => viewOne(tx, id)),
    reopen: (id, signed) => reopen(database, id, signed),
    waive: (id, waiver) => database.transaction((tx) => waive(tx, id, waiver)),
    readSalt: () => readSalt(database),
    countOpen: () => countOpen(database),
    shown: createShownOperations(database),
    removeAll: async () => {
      await database.query('TRUNCATE money_operation, money_operation_event');
    },
    close: () => database.close(),
  };
}

/** The salt of all gateways on this database. The first gateway creates it. */
async function readSalt(database: Queryable): Promise<Uint8Array> {
  await database.query('INSERT INTO caller_salt (salt) VALUES ($1) ON CONFLICT DO NOTHING', [
    randomBytes(32),
  ]);
  const [row] = await database.query<{ readonly salt: Uint8Array }>('SELECT salt FROM caller_salt');
  if (row === undefined) throw new Error('The salt was not stored.');
  return row.salt;
}
