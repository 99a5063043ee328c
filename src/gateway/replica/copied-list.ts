import type { Fact } from '../events/fact.ts';
import type { TimeRange } from '../search/range.ts';
import type { Path } from '../upstream/path.ts';
import type { RestRecord } from '../upstream/record.ts';
import type { Query } from '../upstream/rest-client.ts';
import { ShapeError } from '../upstream/rest-error.ts';

/** One of the lists of a merchant that the replica copies. Declared by the noun it lists. */
export interface CopiedList<R extends RestRecord = RestRecord> {
  /** The kind of node in the list, such as `txn`. */
  readonly kind: string;
  /** Plural name under which the service may wrap the list. */
  readonly name: string;
  readonly path: (merchantId: string) => Path;
  readonly filters?: (merchantId: string) => Query;
  /** How to read one record again; only for records that change. */
  readonly one?: { readonly name: string; readonly path: (id: string) => Path };
  /** What filters are narrowed by. Throws a `ShapeError` if a field cannot be read. */
  readonly columns: (record: R) => Columns;
  /** How many entries the trail of a record has. Throws a `ShapeError` if it has no trail. */
  readonly version?: (record: R) => number;
  /** Whether a record can change without a new line. Throws a `ShapeError`. */
  readonly isOpen?: (record: R) => boolean;
  /** The ids of the lines and disputes that a record shows; undefined if it does not name them. */
  readonly shows?: (record: R) => readonly string[] | undefined;
  /** The transaction that a record has changed, by its id. */
  readonly changes?: (record: R) => string | null;
  /**
   * What a record shows that it did not show before. Throws a `ShapeError`.
   *
   * @param before the record as it was; undefined if it is new
   */
  readonly facts?: (record: R, before: R | undefined) => readonly Fact[];
}

/** What a filter is narrowed by. */
export interface Columns {
  readonly created: Date;
  /** Minor units. */
  readonly amount: number | null;
  /** Values of fields that have few: `state:CAPTURED`. */
  readonly labels: readonly string[];
  /** Texts that a search box finds, in lowercase. */
  readonly words: readonly string[];
  /** What totals group by, in the order in which they name it. */
  readonly groups?: readonly (string | null)[];
  /** What totals add up: minor units, in the order in which they name them. */
  readonly sums?: readonly number[];
}

/**
 * Lets through at least the records that match a filter. What is left out lets all through. A
 * record whose columns cannot be read is always let through.
 */
export interface Narrowing {
  readonly created?: TimeRange | null | undefined;
  readonly amount?: Range | null | undefined;
  /** A record must have at least one label of each list. */
  readonly labels: readonly (readonly string[])[];
  /** Each must be part of one of the words, or one of the amounts be the record's. */
  readonly texts: readonly { readonly part: string; readonly amounts: readonly bigint[] }[];
  /** Whether it lets through nothing else, but for records whose columns cannot be read. */
  readonly isExact: boolean;
}

/** An order of records. */
export interface RecordOrder {
  readonly by: 'created' | 'amount';
  readonly isDescending: boolean;
}

interface Range {
  readonly min?: number | null | undefined;
  readonly max?: number | null | undefined;
}

/** A record as the replica stores it. Names are those of the columns. */
export interface StoredRecord {
  readonly id: string;
  readonly record: string;
  readonly version: number;
  /** Null if its columns cannot be read. */
  readonly created: string | null;
  readonly amount: number | null;
  readonly labels: readonly string[];
  readonly words: string;
  readonly groups: readonly (string | null)[];
  readonly sums: readonly number[];
  /** The lines and disputes that it shows; null if that cannot be told. */
  readonly shows: readonly string[] | null;
  /** After how many seconds it is read again; null if it cannot change without a line. */
  readonly due_s: number | null;
}

/**
 * How long an open record is not read again, by its age. Nothing in a list tells that it has
 * changed.
 */
const AGES_S = [
  { youngerThan: 3_600, pause: 60 },
  { youngerThan: 86_400, pause: 600 },
  { youngerThan: 604_800, pause: 3_600 },
  { youngerThan: Number.POSITIVE_INFINITY, pause: 86_400 },
];

/** The only label of a record whose columns cannot be read. */
export const UNREADABLE = '?';

/**
 * Computes what is stored of a record.
 *
 * @param maxPauseSeconds after which an open record is read again, however old it is
 */
export function toStored<R extends RestRecord>(
  list: CopiedList<R>,
  record: R,
  now: Date,
  maxPauseSeconds: number,
): StoredRecord {
  const columns = readable(() => list.columns(record));
  const version = versionOf(list, record);
  return {
    id: record.id,
    record: JSON.stringify(record),
    version: version ?? -1,
    created: columns?.created.toISOString() ?? null,
    amount: columns?.amount ?? null,
    labels: columns?.labels.map(toText) ?? [UNREADABLE],
    words: (columns?.words ?? []).map(toWord).join('\n'),
    groups: columns?.groups?.map((group) => group && toText(group)) ?? [],
    sums: columns?.sums ?? [],
    shows: readable(() => list.shows?.(record))?.map(toText) ?? null,
    due_s:
      version === undefined ? 0 : pauseOf(list, record, columns?.created, now, maxPauseSeconds),
  };
}

/** How many entries the trail of a record has; undefined without one. 0 for records that have none. */
export function versionOf<R extends RestRecord>(
  { version }: CopiedList<R>,
  record: R,
): number | undefined {
  return version === undefined ? 0 : readable(() => version(record));
}

/** What a record shows that it did not show before; nothing if it cannot be read. */
export function factsOf<R extends RestRecord>(
  { facts }: CopiedList<R>,
  record: R,
  before: R | undefined,
): readonly Fact[] {
  if (facts === undefined) return [];
  // If it could not be read before, what was told of it is not told again.
  return readable(() => facts(record, before)) ?? readable(() => facts(record, undefined)) ?? [];
}

function pauseOf<R extends RestRecord>(
  { isOpen }: CopiedList<R>,
  record: R,
  created: Date | undefined,
  now: Date,
  maxPauseSeconds: number,
): number | null {
  const canChange = isOpen !== undefined && (readable(() => isOpen(record)) ?? true);
  if (!canChange) return null;
  const age = created === undefined ? 0 : (now.getTime() - created.getTime()) / 1_000;
  const pause = AGES_S.find(({ youngerThan }) => age < youngerThan)?.pause ?? null;
  return pause && Math.min(pause, maxPauseSeconds);
}

/** Text as it is stored and searched. */
export function toWord(text: string): string {
  return toText(text.toLowerCase());
}

/** What PostgreSQL can store as text: neither the character 0 nor half of a surrogate pair. */
export function toText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
