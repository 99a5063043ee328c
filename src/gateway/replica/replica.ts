import { LRUCache } from 'lru-cache';
import type { Pages } from '../upstream/list.ts';
import type { RestRecord } from '../upstream/record.ts';
import { tooOld } from '../upstream/rest-error.ts';
import type { Narrowing } from './copied-list.ts';
import { createFreshen } from './freshen.ts';
import type { MerchantCopy, RecordQuery } from './store/answers.ts';
import type { ReplicaStore } from './store/replica-store.ts';

declare module '../schema/context.ts' {
  interface Context {
    /** The copy of the merchants' lists. */
    readonly replica: Replica;
  }
}

/** What a merchant's copy can answer. */
export interface Copy {
  /** Everything that happened before is in the copy, but for the exceptions in `docs/queries.md`. */
  readonly asOf: Date;
  /** Whether a list has all of these items. */
  hasAll(kind: string, ids: readonly string[]): Promise<boolean>;
  /**
   * A list, narrowed by what a filter needs.
   *
   * @param end the item before which it ends, in the direction of reading
   * @param onRead called with the characters of the records of each page
   */
  pages<R extends RestRecord>(
    kind: string,
    narrowing: Narrowing,
    end: string | undefined,
    onRead: (characters: number) => void,
  ): Pages<R>;
}

/** The copy of the lists of the merchants that the gateway's own app may read. */
export interface Replica {
  /**
   * The copy of a merchant; undefined if it cannot answer, so that the service is read.
   *
   * @param maxAgeSeconds how old the copy may be; any age if left out. Rejects with a `RestError`
   *   if it cannot be brought up to date.
   */
  open(merchantId: string, maxAgeSeconds?: number): Promise<Copy | undefined>;
  /** How far a merchant is copied; undefined if it is not. */
  find(merchantId: string): Promise<MerchantCopy | undefined>;
}

/** Without a replica, every list is read from the service. */
export const noReplica: Replica = {
  open: async () => undefined,
  find: async () => undefined,
};

/** Records that one statement reads. */
const PAGE = 500;
/** How often a merchant that is searched is marked as used, and how many are known. */
const USE_MS = 10_000;
const MAX_USED = 10_000;
const UNREADABLE = 'The replica cannot be read, so searches read the payments service:';
/** How long no copy is asked for after the database failed. */
const PAUSE_MS = 5_000;

/**
 * Opens the replica for queries.
 *
 * @param hasWrites whether a write of a merchant was recorded that the copy does not show yet
 */
export function openReplica(
  store: ReplicaStore,
  hasWrites: (merchantId: string) => Promise<boolean>,
  { wake, report }: { wake: () => void; report: (message: string) => void },
): Replica {
  let failedUntil = 0;
  let isReported = false;
  const freshen = createFreshen(store, wake);
  const usedAt = new LRUCache<string, number>({ max: MAX_USED });

  /** Undefined while the database does not respond. */
  async function tryTo<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (performance.now() < failedUntil) return undefined;
    try {
      const result = await work();
      isReported = false;
      return result;
    } catch (error) {
      if (!isReported) report(`${UNREADABLE} ${error instanceof Error ? error.message : ''}`);
      isReported = true;
      failedUntil = performance.now() + PAUSE_MS;
      return undefined;
    }
  }

  /** Keeps the copy of a merchant up to date while it is used. */
  function noteUse(merchantId: string): void {
    const now = performance.now();
    if (now - (usedAt.get(merchantId) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
    usedAt.set(merchantId, now);
    // If it fails, the next read fails, too.
    store.want([merchantId]).catch(() => {});
  }

  async function open(
    merchantId: string,
    maxAgeSeconds: number | undefined,
  ): Promise<Copy | 'TOO_OLD' | undefined> {
    if (maxAgeSeconds !== undefined && !(await freshen(merchantId, maxAgeSeconds))) {
      return 'TOO_OLD';
    }
    // First, so that every write of which a client was told before is in what is read then.
    if (await hasWrites(merchantId)) return undefined;
    const copy = await store.find(merchantId);
    if (copy?.state !== 'READY' || copy.asOf === null) return undefined;
    noteUse(merchantId);
    return {
      asOf: copy.asOf,
      hasAll: (kind, ids) => store.hasAll(merchantId, kind, ids).catch(fail),
      pages: (kind, narrowing, end, onRead) =>
        pagesOf(store, { merchant: merchantId, kind, narrowing, end }, onRead),
    };
  }

  return {
    open: async (merchantId, maxAgeSeconds) => {
      const copy = await tryTo(() => open(merchantId, maxAgeSeconds));
      if (copy === 'TOO_OLD') throw tooOld('payments');
      return copy;
    },
    find: (merchantId) => tryTo(() => store.find(merchantId)),
  };
}

/** The database of the replica failed while it was read. */
export class ReplicaFailedError extends Error {}

function fail(cause: unknown): never {
  throw new ReplicaFailedError('The replica cannot be read.', { cause });
}

/** A list of the replica, in the terms of the payments service. */
function pagesOf<R extends RestRecord>(
  store: ReplicaStore,
  query: Omit<RecordQuery, 'limit'>,
  onRead: (characters: number) => void,
): Pages<R> {
  return {
    service: 'payments',
    pageMax: PAGE,
    fetch: async ({ limit, before, after }) => {
      const rows = await store.read({ ...query, limit, before, after }).catch(fail);
      onRead(rows.reduce((sum, { record }) => sum + record.length, 0));
      // The service sent it as a record.
      const records = rows.map(({ record }) => JSON.parse(record) as R);
      return { records, invalid: 0, isLast: rows.length < limit };
    },
  };
}
