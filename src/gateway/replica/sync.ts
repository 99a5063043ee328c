import { setTimeout as elapse } from 'node:timers/promises';
import type { Fact } from '../events/fact.ts';
import { fetchOwnRecord } from '../upstream/fetch-record.ts';
import { type ListRequest, openPages } from '../upstream/list.ts';
import { type RestRecord, readStringOrNull } from '../upstream/record.ts';
import type { RestClient } from '../upstream/rest-client.ts';
import { RestError, ShapeError } from '../upstream/rest-error.ts';
import { type CopiedList, versionOf } from './copied-list.ts';
import { NoPlaceError, type Placement, placeItems, UnsoundListError } from './place-items.ts';
import { type Read, save } from './save-read.ts';
import type { Changes } from './store/changes.ts';
import type { ReplicaStore } from './store/replica-store.ts';
import type { Claimed } from './store/turns.ts';

/** A write of this gateway, or another on the same database, that the replica does not show yet. */
export interface OwnWrite {
  readonly id: string;
  readonly transactionId: string;
  /** Whether a transaction shows it. */
  readonly isShownBy: (record: RestRecord) => boolean;
}

/** What sync needs to copy a merchant. */
export interface SyncParts {
  readonly store: ReplicaStore;
  /** Calls the payments service with the gateway's own key. */
  readonly client: RestClient;
  readonly lists: Lists;
  readonly callsPerSecond: number;
  /** After which an open record is read again, however old it is. */
  readonly maxPauseSeconds: number;
  /** The writes that were recorded, and that the replica does not show yet. */
  readonly listWrites: (merchant: string) => Promise<readonly OwnWrite[]>;
  readonly markShown: (ids: readonly string[]) => Promise<void>;
  /** Forgets the writes of merchants that are not copied, or whose copy begins only now. */
  readonly forgetWrites: (merchants: readonly string[]) => Promise<void>;
  /** What became known of writes after a time, but not by the response to the write. */
  readonly listOutcomes: (merchant: string, since: Date) => Promise<readonly Fact[]>;
  /** Ends what is running, before its next call. */
  readonly signal: AbortSignal;
}

/** The lists of a merchant. A line tells that its transaction has changed. */
export interface Lists {
  readonly lines: CopiedList;
  readonly transactions: CopiedList;
  /** What is polled less often. */
  readonly others: readonly CopiedList[];
}

/** How many items behind the newest one a poll begins, because one can become visible late. */
const OVERLAP = 20;
/** How often lists are polled in which nothing happens for long: every so many polls. */
const RARELY = 10;
/** Calls before a merchant is given back, so that its lease does not end. */
const MAX_CALLS = 100;

/** What a merchant has left to do: at once, in a second, or at its next turn. */
export type Left = 'MORE' | 'SOON' | 'NOTHING';

/** Works on a merchant whose turn it is. */
export async function syncMerchant(parts: SyncParts, claimed: Claimed): Promise<Left> {
  const turn = new Turn(parts, claimed);
  if (claimed.state === 'COPYING') {
    if (!(await turn.walk(MAX_CALLS))) return 'MORE';
    // Before it answers: without it, a page of 100,000 takes ten times as long.
    await parts.store.analyze();
    return turn.poll(true);
  }
  const left = await turn.poll(claimed.polls % RARELY === 0);
  if (claimed.isComparisonDue) await turn.compare();
  return left;
}

class Turn {
  readonly #parts: SyncParts;
  readonly #store: ReplicaStore;
  readonly #claimed: Claimed;
  readonly #merchant: string;
  #calls = 0;

  constructor(parts: SyncParts, claimed: Claimed) {
    this.#parts = parts;
    this.#store = parts.store;
    this.#claimed = claimed;
    this.#merchant = claimed.merchant;
  }

  /** Walks every list from its newest item to its oldest. Returns whether all are walked. */
  async walk(maxCalls: number): Promise<boolean> {
    const { lines, transactions, others } = this.#parts.lists;
    const places = await this.#store.lists(this.#merchant);
    const isFirst = places.every(({ place, isWalked }) => place === null && !isWalked);
    // What is read from now on shows them. A comparison reads nothing else for them.
    if (isFirst && this.#claimed.state === 'COPYING')
      await this.#parts.forgetWrites([this.#merchant]);
    // Lines first: those that are added meanwhile name the transactions that change meanwhile.
    for (const list of [lines, ...others, transactions]) {
      const known = places.find(({ kind }) => kind === list.kind);
      if (known === undefined || known.isWalked) continue;
      let { place } = known;
      for (;;) {
        if (this.#calls >= maxCalls) return false;
        const next = await this.#walkPage(list, place, this.#claimed.state === 'READY');
        if (next === undefined) break;
        place = next;
      }
    }
    return true;
  }

  /** Walks one page further. Returns the place that was reached; undefined at the end of the list. */
  async #walkPage(
    list: CopiedList,
    place: string | null,
    isComparison: boolean,
  ): Promise<string | undefined> {
    const { records, readAt } = await this.#fetch(list, place === null ? {} : { before: place });
    const last = records.at(-1);
    if (last === undefined) {
      await this.#change(async (tx) => {
        const gone = await tx.markDeletedBehind(list.kind, place, readAt);
        if (isComparison) await tx.countRepaired(gone);
        await tx.walkTo(list.kind, place, true);
      });
      return undefined;
    }
    const start =
      place === null ? undefined : await this.#store.positionOf(this.#merchant, list.kind, place);
    const { positions, missing } = await this.#place(list, records, start, -1);
    await this.#change(async (tx) => {
      const saved = await this.#save(tx, list, { records, positions, readAt });
      const gone = await tx.markDeleted(list.kind, missing, readAt);
      if (isComparison) {
        await tx.countRepaired(gone + saved.filter(({ differs }) => differs).length);
      }
      await tx.walkTo(list.kind, last.id, false);
    });
    return last.id;
  }

  /** Walks one page of a comparison; after the last one, all lists begin again in a day. */
  async compare(): Promise<void> {
    const lists = await this.#store.lists(this.#merchant);
    if (lists.every(({ isWalked }) => isWalked)) {
      await this.#change((tx) => tx.walkAgain());
    }
    const isWalked = await this.walk(this.#calls + 1);
    if (isWalked) await this.#change((tx) => tx.compared());
  }

  /**
   * Reads what is new, then every record that has changed. Returns what is left until the replica
   * shows everything that happened before.
   */
  async poll(readsAll: boolean): Promise<Left> {
    const { listWrites, listOutcomes, markShown, lists } = this.#parts;
    const asOf = await this.#store.now();
    const writes = await listWrites(this.#merchant);
    const lines = await this.#readNew(lists.lines);
    const transactions = await this.#readNew(lists.transactions);
    const others = readsAll || lines.some(({ dispute }) => dispute != null) ? lists.others : [];
    for (const list of others) await this.#readNew(list);
    const written = writes.map(({ transactionId }) => transactionId);
    if (written.length > 0) {
      await this.#change((tx) => tx.makeDue(lists.transactions.kind, written));
    }
    const isDone = await this.#readDue(lists.transactions);
    const shown = await this.#findShown(writes);
    const hasChanged = lines.length + transactions.length > 0;
    const outcomes = await listOutcomes(this.#merchant, this.#claimed.toldTo);
    const isStored = await this.#change(async (tx) => {
      await tx.tell(outcomes);
      return tx.polled(asOf, hasChanged);
    });
    await markShown(shown);
    if (!isDone || shown.length < writes.length) return 'MORE';
    return isStored ? 'NOTHING' : 'SOON';
  }

  /** Reads the items that were added to a list. Returns those that the replica did not have. */
  async #readNew(list: CopiedList): Promise<readonly RestRecord[]> {
    const head = await this.#store.head(this.#merchant, list.kind, OVERLAP);
    const anchor = head.at(-1);
    const added: RestRecord[] = [];
    if (anchor === undefined) {
      // There is no item to begin behind.
      for (let place: string | null | undefined = null; place !== undefined; ) {
        place = await this.#walkPage(list, place, false);
      }
      return added;
    }
    const seen = new Set<string>([anchor.id]);
    for (let { id, position } = anchor; ; ) {
      const { records, readAt, isShort } = await this.#fetch(list, { after: id });
      if (records.some((record) => seen.has(record.id))) {
        throw new UnsoundListError('it returns the same page again');
      }
      for (const record of records) seen.add(record.id);
      const last = records.at(-1);
      if (last === undefined) return added;
      const { positions } = await this.#place(list, records, position, 1);
      const saved = await this.#change((tx) =>
        this.#save(tx, list, { records, positions, readAt }),
      );
      const isNew = new Set(saved.filter((row) => row.isNew).map((row) => row.id));
      added.push(...records.filter((record) => isNew.has(record.id)));
      // A short page proves nothing if the service caps it, but one that ends with what was the
      // newest item does.
      if (isShort && last.id === head[0]?.id) return added;
      id = last.id;
      position = positions.get(id) ?? position;
    }
  }

  /** Reads the records that may have changed. Returns whether none is left. */
  async #readDue(list: CopiedList): Promise<boolean> {
    const { pageMax } = this.#parts.client;
    for (let { length } = [1]; length > 0; ) {
      if (this.#calls >= MAX_CALLS) return false;
      const due = await this.#store.due(this.#merchant, list.kind, pageMax);
      length = due.length;
      const [newest] = due;
      if (newest === undefined) break;
      const ids = due.map(({ id }) => id);
      const { position } = newest;
      const near = await this.#store.countNear(this.#merchant, list.kind, ids, position, pageMax);
      if (near < 2 || newest.version < 0) {
        await this.#readOne(list, newest.id);
      } else {
        await this.#readPage(list, position, new Set(ids));
      }
    }
    return true;
  }

  /** Reads the page that begins with a record, and those of `ids` on it that it does not show. */
  async #readPage(list: CopiedList, position: number, ids: ReadonlySet<string>): Promise<void> {
    const newer = await this.#store.newerThan(this.#merchant, list.kind, position);
    const from = newer === undefined ? {} : { before: newer.id };
    const { records, readAt } = await this.#fetch(list, from);
    const { positions } = await this.#place(list, records, newer?.position, -1);
    const saved = await this.#change((tx) => this.#save(tx, list, { records, positions, readAt }));
    const isSaved = new Set(saved.map(({ id }) => id));
    const isFull = (record: RestRecord) => versionOf(list, record) !== undefined;
    const left = records.filter(
      (record) => ids.has(record.id) && !(isSaved.has(record.id) && isFull(record)),
    );
    for (const { id } of left) await this.#readOne(list, id);
    // The first one is due, so it must be on the page unless the service does not have it.
    const [first] = records;
    if (first === undefined || (positions.get(first.id) ?? position) < position) {
      const [due] = await this.#store.due(this.#merchant, list.kind, 1);
      if (due !== undefined) await this.#readOne(list, due.id);
    }
  }

  async #readOne(list: CopiedList, id: string): Promise<void> {
    if (list.one === undefined) throw new TypeError(`A record of ${list.name} does not change.`);
    const readAt = await this.#takeCall();
    const record = await fetchOwnRecord(this.#parts.client, id, list.one.path(id), list.one.name);
    await this.#change(async (tx) => {
      if (record === null) {
        await tx.markDeleted(list.kind, [id]);
        return;
      }
      this.#requireOwn([record]);
      // It is known, so it keeps its place.
      const positions = new Map([[id, 0]]);
      const saved = await this.#save(tx, list, { records: [record], positions, readAt }, true);
      if (saved.length === 0) await tx.makeDue(list.kind, [id], true);
    });
  }

  /** Which of our own writes the replica shows. */
  async #findShown(writes: readonly OwnWrite[]): Promise<string[]> {
    if (writes.length === 0) return [];
    const ids = writes.map(({ transactionId }) => transactionId);
    const { kind } = this.#parts.lists.transactions;
    const rows = await this.#store.pick([this.#merchant], kind, ids);
    const records = new Map(rows.map(({ id, record }) => [id, JSON.parse(record) as RestRecord]));
    const isShown = ({ transactionId, isShownBy }: OwnWrite) => {
      const record = records.get(transactionId);
      return record !== undefined && isShownBy(record);
    };
    return writes.filter(isShown).map(({ id }) => id);
  }

  async #fetch(list: CopiedList, cursor: Omit<ListRequest, 'limit'>) {
    const { client } = this.#parts;
    const options = { name: list.name, filters: list.filters?.(this.#merchant) ?? {} };
    const pages = openPages(client, list.path(this.#merchant), options, () => {});
    const readAt = await this.#takeCall();
    const { records, isLast, invalid } = await pages.fetch({ limit: client.pageMax, ...cursor });
    if (invalid > 0) throw new UnsoundListError('some items are not records');
    this.#requireOwn(records);
    return { records, readAt, isShort: isLast };
  }

  /** Waits for a call of the budget that all gateways share. Returns the time by the database. */
  async #takeCall(): Promise<string> {
    this.#calls++;
    const { waitMs, now } = await this.#store.reserveCall(this.#parts.callsPerSecond);
    const { signal } = this.#parts;
    signal.throwIfAborted();
    if (waitMs > 0) await elapse(waitMs, undefined, { signal, ref: false });
    return now;
  }

  #requireOwn(records: readonly RestRecord[]): void {
    const isForeign = (record: RestRecord<'merchantId'>) => {
      try {
        return (readStringOrNull(record, 'merchantId') ?? this.#merchant) !== this.#merchant;
      } catch (error) {
        if (error instanceof ShapeError) return false;
        throw error;
      }
    };
    if (records.some(isForeign)) throw new UnsoundListError('it has records of another merchant');
  }

  async #place(
    { kind }: CopiedList,
    records: readonly RestRecord[],
    start: number | undefined,
    direction: 1 | -1,
  ): Promise<Placement> {
    const ids = records.map(({ id }) => id);
    const known = await this.#store.around(this.#merchant, kind, ids, start, direction);
    return placeItems(ids, known, start, direction);
  }

  #save(tx: Changes, list: CopiedList, read: Read, areFull = false) {
    return save(tx, list, read, { ...this.#parts, ...this.#claimed, areFull });
  }

  #change<T>(work: (tx: Changes) => Promise<T>): Promise<T> {
    return this.#store.change(this.#claimed, work);
  }
}

/** Why sync of a merchant cannot go on, in words; undefined if it can be tried again. */
export function reasonToStop(error: unknown): string | undefined {
  if (error instanceof UnsoundListError)
    return `A list of the payments service is unusable: ${error.message}.`;
  return undefined;
}

/** Whether a cursor is not known to the service any more, so that the lists must be walked again. */
export function isLostPlace(error: unknown): boolean {
  return (
    error instanceof NoPlaceError ||
    (error instanceof RestError &&
      error.failure === 'status' &&
      (error.status === 404 || error.status === 400))
  );
}
