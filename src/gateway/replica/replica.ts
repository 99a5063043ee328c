import { setTimeout as elapse } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Pages } from '../upstream/list.ts';
import type { RestRecord } from '../upstream/record.ts';
import { tooOld } from '../upstream/rest-error.ts';
import type { Narrowing } from './copied-list.ts';
import { createFreshen } from './freshen.ts';
import type { MerchantCopy, RecordQuery } from './store/answers.ts';
import type { ReplicaStore } from './store/replica-store.ts';
import type { CopiedTotal, TotalsQuery } from './store/totals.ts';

declare module '../schema/context.ts' {
  interface Context {
    /** The copy of the merchants' lists. */
    readonly replica: Replica;
  }
}

/** What the copies of some merchants can answer. */
export interface Copy {
  /** Everything that happened before is in the copy, but for the exceptions in `docs/lists.md`. */
  readonly asOf: Date;
  /** The merchants whose copies cannot answer. */
  readonly leftOut: readonly string[];
  /** Whether the lists have all of these items. */
  hasAll(kind: string, ids: readonly string[]): Promise<boolean>;
  /**
   * The lists, narrowed by what a filter needs.
   *
   * @param end the item before which it ends, in the direction of reading
   * @param onRead called with the characters of the records of each page
   */
  pages<R extends RestRecord>(
    query: Pick<RecordQuery, 'kind' | 'narrowing' | 'order' | 'end'>,
    onRead: (characters: number) => void,
  ): Pages<R>;
  /** The records with these ids. */
  pick<R extends RestRecord>(kind: string, ids: readonly string[]): Promise<R[]>;
  /** How many records a filter matches, besides those whose columns cannot be read. */
  count(kind: string, narrowing: Narrowing): Promise<number>;
  /** Adds up the records of one merchant, besides those whose columns cannot be read. */
  addUp(query: Omit<TotalsQuery, 'merchants'>): Promise<CopiedTotals>;
}

/** The totals of records, and the last one of them. */
export interface CopiedTotals {
  readonly totals: readonly CopiedTotal[];
  readonly last: { readonly id: string; readonly created: Date } | undefined;
}

/** How a copy is opened. */
export interface OpenOptions {
  /**
   * How old the copy may be; any age if left out. Rejects with a `RestError` if it cannot be brought
   * up to date.
   */
  readonly maxAgeSeconds?: number | null | undefined;
  /**
   * The argument that only a copy can answer. Waits until it can; rejects with an error for the
   * client if there is none. Default: undefined instead, so that the service is read.
   */
  readonly requiredBy?: string | undefined;
  /** Whether merchants whose copies cannot answer are left out, if there are others. */
  readonly mayLeaveOut?: boolean | undefined;
}

/** The copy of the lists of the merchants that the gateway's own app may read. */
export interface Replica {
  /** The copies of merchants; undefined if one of them cannot answer, unless it is left out. */
  open(merchantIds: readonly string[], options: OpenOptions): Promise<Copy | undefined>;
  /** How far a merchant is copied; undefined if it is not. */
  find(merchantId: string): Promise<MerchantProgress | undefined>;
}

/** How far a merchant is copied. */
export interface MerchantProgress extends MerchantCopy {
  /** For each of its lists: when the last item that was copied was created. */
  readonly lists: readonly { readonly isWalked: boolean; readonly created: Date | null }[];
}

/** Without a replica, every list is read from the service. */
export const noReplica: Replica = {
  open: async (_merchantIds, { requiredBy }) => {
    if (requiredBy !== undefined) throw noReplicaFor(requiredBy);
    return undefined;
  },
  find: async () => undefined,
};

/** What the replica needs of sync. */
interface ReplicaParts {
  /** Makes sync look for work at once. */
  readonly wake: () => void;
  /** Waits for the copies of merchants that were just created. */
  readonly waitForNew: (merchantIds: readonly string[]) => Promise<void>;
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
}

/** Records that one statement reads. */
const PAGE = 500;
/** How long a request waits until the copy shows the last writes, and how often it looks. */
const WRITES_MS = 8_000;
const STEP_MS = 50;
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
  hasWrites: (merchantIds: readonly string[]) => Promise<boolean>,
  { wake, waitForNew, report }: ReplicaParts,
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
    allIds: readonly string[],
    { maxAgeSeconds, requiredBy, mayLeaveOut }: OpenOptions,
  ): Promise<Copy | 'TOO_OLD' | undefined> {
    const merchantIds =
      requiredBy === undefined ? allIds : await copiedOf(store, allIds, waitForNew);
    const leftOut = allIds.filter((id) => !merchantIds.includes(id));
    if (merchantIds.length === 0 || (leftOut.length > 0 && mayLeaveOut !== true)) return undefined;
    if (maxAgeSeconds != null) {
      const isFresh = await Promise.all(merchantIds.map((id) => freshen(id, maxAgeSeconds)));
      if (isFresh.includes(false)) return 'TOO_OLD';
    }
    // First, so that every write of which a client was told before is in what is read then.
    const isShown =
      requiredBy === undefined
        ? !(await hasWrites(merchantIds))
        : await waitForWrites(() => hasWrites(merchantIds), wake);
    if (!isShown) return undefined;
    const times = await readTimes(store, merchantIds);
    if (times.length < new Set(merchantIds).size) return undefined;
    for (const id of merchantIds) noteUse(id);
    return { ...toCopy(store, merchantIds, new Date(Math.min(...times))), leftOut };
  }

  return {
    open: async (merchantIds, options) => {
      const copy = await tryTo(() => open(merchantIds, options));
      if (copy === 'TOO_OLD') throw tooOld('payments');
      if (copy === undefined && options.requiredBy !== undefined) {
        throw noReplicaFor(options.requiredBy);
      }
      return copy;
    },
    find: (merchantId) =>
      tryTo(async () => {
        const [copy] = await store.find([merchantId]);
        return copy && { ...copy, lists: await store.walked(merchantId) };
      }),
  };
}

/** The copies that can answer. */
async function findCopied(store: ReplicaStore, merchantIds: readonly string[]) {
  return (await store.find(merchantIds)).filter(({ state }) => state === 'READY');
}

/** As of when the copies are that can answer. */
async function readTimes(store: ReplicaStore, merchantIds: readonly string[]) {
  const copied = await findCopied(store, merchantIds);
  return copied.flatMap(({ asOf }) => asOf?.getTime() ?? []);
}

/** The merchants whose copies can answer, after a wait for those that are new. */
async function copiedOf(
  store: ReplicaStore,
  merchantIds: readonly string[],
  waitForNew: (merchantIds: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  const find = async () => {
    const copied = new Set((await findCopied(store, merchantIds)).map(({ merchant }) => merchant));
    return merchantIds.filter((id) => copied.has(id));
  };
  const copied = await find();
  if (copied.length === merchantIds.length) return copied;
  await waitForNew(merchantIds);
  return find();
}

/** Waits for writes that the copy does not show yet: it will in a moment. */
async function waitForWrites(hasWrites: () => Promise<boolean>, wake: () => void) {
  const end = performance.now() + WRITES_MS;
  while (await hasWrites()) {
    if (performance.now() > end) return false;
    wake();
    await elapse(STEP_MS);
  }
  return true;
}

function toCopy(
  store: ReplicaStore,
  merchants: readonly string[],
  asOf: Date,
): Omit<Copy, 'leftOut'> {
  return {
    asOf,
    hasAll: (kind, ids) => store.hasAll(merchants, kind, ids).catch(fail),
    pages: (query, onRead) => pagesOf(store, { merchants, ...query }, onRead),
    pick: async <R extends RestRecord>(kind: string, ids: readonly string[]) =>
      (await store.pick(merchants, kind, ids).catch(fail)).map(toRecord<R>),
    count: (kind, narrowing) => store.count({ merchants, kind, narrowing }).catch(fail),
    addUp: async (query) => {
      const totals = await store.addUp({ merchants, ...query }).catch(fail);
      const [merchant = ''] = merchants;
      const place = Math.min(...totals.map((total) => total.place));
      const last =
        totals.length === 0 ? undefined : await store.at(merchant, query.kind, place).catch(fail);
      return { totals, last };
    },
  };
}

/** Only a replica can answer, and there is none. */
function noReplicaFor(argument: string): GraphQLError {
  return new GraphQLError(
    `\`${argument}\` requires a replica of each merchant that is up to date. \`Merchant.replica\` shows which merchant has none.`,
    { extensions: { code: 'NO_REPLICA' } },
  );
}

/** The database of the replica failed while it was read. */
export class ReplicaFailedError extends GraphQLError {}

function fail(): never {
  const message = 'The replica cannot be read. Try again later.';
  throw new ReplicaFailedError(message, {
    extensions: { code: 'NO_REPLICA' },
  });
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
      const records = rows.map(toRecord<R>);
      return { records, invalid: 0, isLast: rows.length < limit };
    },
  };
}

/** The service sent it as a record. */
function toRecord<R extends RestRecord>({ record }: { readonly record: string }): R {
  return JSON.parse(record);
}
