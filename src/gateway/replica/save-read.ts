import type { Fact } from '../events/fact.ts';
import type { RestRecord } from '../upstream/record.ts';
import { type CopiedList, factsOf, toStored } from './copied-list.ts';
import { NoPlaceError } from './place-items.ts';
import type { Changes } from './store/changes.ts';
import type { PlacedRecord } from './store/save.ts';
import type { Claimed } from './store/turns.ts';

/** What was read of a list. */
export interface Read {
  readonly records: readonly RestRecord[];
  /** The place of each; of one that is stored already, it does not matter. */
  readonly positions: ReadonlyMap<string, number>;
  /** When, by the clock of the database. */
  readonly readAt: string;
}

interface Options extends Pick<Claimed, 'isNew' | 'toldTo'> {
  readonly maxPauseSeconds: number;
  /** The list whose records change with new ones of other lists. */
  readonly lists: { readonly transactions: CopiedList };
  /** Whether each record was read alone: it is compared, whatever it lacks. */
  readonly areFull: boolean;
}

/**
 * Stores what was read, makes the transactions due that new records have changed, and tells what the
 * records show. Returns those that were stored.
 */
export async function save(tx: Changes, list: CopiedList, read: Read, options: Options) {
  const { records, readAt } = read;
  const saved = await tx.save(list.kind, toRows(list, read, options), readAt);
  const before = new Map(saved.map(({ id, old }) => [id, old]));
  const facts = records.flatMap((record) => {
    const old = before.get(record.id);
    if (old === undefined) return [];
    return factsOf(list, record, old === null ? undefined : JSON.parse(old));
  });
  const { isNew, toldTo, lists } = options;
  const isTold = ({ happened }: Fact) => !isNew || (happened !== null && happened > toldTo);
  await tx.tell(facts.filter(isTold));
  const { changes } = list;
  if (changes !== undefined) {
    const added = new Set(saved.filter((row) => row.isNew).map((row) => row.id));
    const items = records.flatMap((record) => {
      const of = added.has(record.id) ? changes(record) : null;
      return of === null ? [] : [{ id: record.id, of }];
    });
    if (items.length > 0) await tx.expectShown(lists.transactions.kind, items);
  }
  return saved;
}

function toRows(
  list: CopiedList,
  { records, positions }: Read,
  { maxPauseSeconds, areFull }: Options,
): PlacedRecord[] {
  const now = new Date();
  return records.map((record) => {
    const position = positions.get(record.id);
    if (position === undefined) throw new NoPlaceError();
    const row = { ...toStored(list, record, now, maxPauseSeconds), position };
    if (!areFull) return row;
    return { ...row, version: Math.max(0, row.version), due_s: row.due_s || null };
  });
}
