import { expect, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { GatewayReplica } from '../../src/gateway/gateway.ts';
import { replicaProgram } from '../../src/gateway/replica/store/open-replica-store.ts';
import { createReplicaStore } from '../../src/gateway/replica/store/replica-store.ts';
import { preparedStorage } from './storage.ts';

/** A replica that is not shared with other gateways. */
export interface TestReplica extends GatewayReplica {
  /** Waits until everything is copied. */
  ready(): Promise<void>;
  /** Copies everything again, and waits until a merchant is copied. */
  startOver(merchant: string): Promise<void>;
  /** Waits until a merchant is copied that is new. */
  copy(merchant: string): Promise<void>;
  /** Polls a merchant until its copy has a state. */
  want(merchant: string, state: string): Promise<void>;
  /** Sets the state of a copy, such as `STOPPED` after a list that cannot be copied. */
  setState(merchant: string, state: string): Promise<void>;
  /** Reads every record again that can change without a line. */
  rereadOpen(merchant: string): Promise<void>;
  /** Compares every list with the service. Returns how many records were repaired so far. */
  compare(merchant: string): Promise<number>;
  /** Deletes every event, as if they were seen long ago. */
  trim(): Promise<void>;
  /** The records of a list, newest first. */
  records(merchant: string, kind: string): Promise<{ id: string }[]>;
  /** Waits until a poll of the merchant that began now has ended. */
  catchUp(merchant: string): Promise<void>;
}

const nothingWritten: GatewayReplica['shown'] = {
  has: async () => false,
  merchants: async () => [],
  list: async () => [],
  mark: async () => {},
  markAll: async () => {},
  listLate: async () => [],
};

const PATIENCE = { timeout: 120_000, interval: 20 };

/** Opens an empty replica in a database of its own. */
export async function openTestReplica(
  key: string,
  shown: GatewayReplica['shown'] = nothingWritten,
): Promise<TestReplica> {
  const database = await openDatabase(await preparedStorage(), replicaProgram);
  const store = createReplicaStore(database);
  /** Polls a merchant now, with every list, however short ago the last poll was. */
  const pollNow = (merchant: string) =>
    database.query('UPDATE replica_merchant SET polls = 0, next_at = now() WHERE merchant = $1', [
      merchant,
    ]);
  const isCopied = (merchant: string) =>
    vi.waitFor(
      async () => expect(await store.find([merchant])).toMatchObject([{ state: 'READY' }]),
      PATIENCE,
    );
  const read = (merchant: string, kind: string) =>
    store.read({
      merchants: [merchant],
      kind,
      narrowing: { labels: [], texts: [], isExact: true },
      limit: 10_000,
    });
  return {
    store,
    shown,
    key,
    ready: () =>
      vi.waitFor(async () => {
        const states = (await store.describe()).map(({ state }) => state);
        expect(new Set(states)).toEqual(new Set(['READY']));
      }, PATIENCE),
    startOver: async (merchant) => {
      await store.forgetAll();
      await isCopied(merchant);
    },
    copy: async (merchant) => {
      // Only lists the merchants again.
      await store.startOver('none');
      await isCopied(merchant);
    },
    want: (merchant, state) =>
      vi.waitFor(async () => {
        await store.want([merchant]);
        expect(await store.find([merchant])).toMatchObject([{ state }]);
      }, PATIENCE),
    setState: async (merchant, state) => {
      // No poll that runs can change it, and none begins.
      await database.query(
        `UPDATE replica_merchant SET state = $2, epoch = nextval('replica_epoch'),
           leased_until = CASE $2 WHEN 'READY' THEN '-infinity' ELSE 'infinity' END::timestamptz
         WHERE merchant = $1`,
        [merchant, state],
      );
    },
    rereadOpen: async (merchant) => {
      await database.query(
        `UPDATE replica_record SET due_at = '-infinity' WHERE merchant = $1 AND kind = 'txn'`,
        [merchant],
      );
    },
    compare: (merchant) => compare(database, merchant, pollNow),
    trim: async () => {
      await database.query(`UPDATE replica_event SET seen = seen - interval '9 days'`);
      await store.trimEvents(8);
    },
    records: async (merchant, kind) =>
      (await read(merchant, kind)).map(({ record }) => JSON.parse(record)),
    catchUp: async (merchant) => {
      const from = new Date(await store.now());
      await vi.waitFor(async () => {
        await pollNow(merchant);
        const [copy] = await store.find([merchant]);
        expect(copy?.asOf?.getTime()).toBeGreaterThan(from.getTime());
      }, PATIENCE);
    },
  };
}

/** Makes sync compare every list, and waits until it has. */
async function compare(
  database: Database,
  merchant: string,
  pollNow: (merchant: string) => Promise<unknown>,
): Promise<number> {
  await database.query(
    `UPDATE replica_merchant SET compared_at = now() - interval '2 days' WHERE merchant = $1`,
    [merchant],
  );
  await database.query(
    `UPDATE replica_record SET read_at = now() - interval '1 hour' WHERE merchant = $1`,
    [merchant],
  );
  await vi.waitFor(async () => {
    await pollNow(merchant);
    const ended = await database.query(
      `SELECT FROM replica_merchant WHERE merchant = $1 AND compared_at > now() - interval '1 day'`,
      [merchant],
    );
    expect(ended).toHaveLength(1);
  }, PATIENCE);
  const [row] = await database.query<{ repaired: number }>(
    'SELECT repaired FROM replica_merchant WHERE merchant = $1',
    [merchant],
  );
  return row?.repaired ?? 0;
}
