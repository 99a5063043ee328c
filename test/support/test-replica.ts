import { expect, vi } from 'vitest';
import type { GatewayReplica } from '../../src/gateway/gateway.ts';
import { openReplicaStore } from '../../src/gateway/replica/store/open-replica-store.ts';
import { preparedStorage } from './storage.ts';

/** A replica that is not shared with other gateways. */
export interface TestReplica extends GatewayReplica {
  /** Copies everything again, and waits until a merchant is copied. */
  startOver(merchant: string): Promise<void>;
  /** Waits until a merchant is copied that is new. */
  copy(merchant: string): Promise<void>;
  /** Polls a merchant until its copy has a state. */
  want(merchant: string, state: string): Promise<void>;
  /** Reads every record again that can change without a line. */
  rereadOpen(merchant: string): Promise<void>;
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
};

/** Opens an empty replica in a database of its own. */
export async function openTestReplica(
  key: string,
  shown: GatewayReplica['shown'] = nothingWritten,
): Promise<TestReplica> {
  const store = await openReplicaStore(await preparedStorage());
  const patience = { timeout: 120_000, interval: 20 };
  const isCopied = (merchant: string) =>
    vi.waitFor(
      async () => expect(await store.find(merchant)).toMatchObject({ state: 'READY' }),
      patience,
    );
  const read = (merchant: string, kind: string) =>
    store.read({ merchant, kind, narrowing: { labels: [], texts: [] }, limit: 10_000 });
  return {
    store,
    shown,
    key,
    startOver: async (merchant) => {
      await store.startOver();
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
        expect(await store.find(merchant)).toMatchObject({ state });
      }, patience),
    rereadOpen: (merchant) =>
      vi.waitFor(async () => {
        await store.want([merchant]);
        const claimed = await store.claim();
        if (claimed === undefined) throw new Error('Sync works on the merchant.');
        const ids = (await read(merchant, 'txn')).map(({ id }) => id);
        if (claimed.merchant === merchant)
          await store.change(claimed, (tx) => tx.makeDue('txn', ids));
        await store.release(claimed, 0);
        expect(claimed.merchant).toBe(merchant);
      }, patience),
    records: async (merchant, kind) =>
      (await read(merchant, kind)).map(({ record }) => JSON.parse(record)),
    catchUp: async (merchant) => {
      const from = new Date(await store.now());
      await vi.waitFor(async () => {
        await store.want([merchant]);
        const copy = await store.find(merchant);
        expect(copy?.asOf?.getTime()).toBeGreaterThan(from.getTime());
      }, patience);
    },
  };
}
