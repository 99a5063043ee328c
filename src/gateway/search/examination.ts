import { RestError, ShapeError } from '../upstream/rest-error.ts';
import type { Verdict } from './condition.ts';
import type { TimeRange } from './range.ts';
import type { SearchBudget } from './search-budget.ts';

/** How the records of a list are judged. */
export interface Judged<T> {
  readonly judge: (record: T) => Verdict;
  /** Reads the full record with one call and judges it. */
  readonly judgeFull: (record: T) => Promise<Verdict>;
  /** When a record was created; undefined if that cannot be read. */
  readonly createdAt: (record: T) => Date | undefined;
  /** Only records created in this range can match. */
  readonly created: TimeRange;
}

/** What a search examined and found. */
export interface Examined<T> {
  /** In the order examined. */
  readonly matches: readonly T[];
  /** Ids of the first and the last record examined. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly examined: number;
  readonly skipped: number;
  /** Creation time of the last record examined. */
  readonly examinedTo: Date | undefined;
  /** Whether no further record can match in the paging direction. */
  readonly complete: boolean;
  /** Whether the end of the list was reached. */
  readonly isAtEnd: boolean;
  /** How old the records can be that were read from the replica; undefined for others. */
  readonly copiedAt?: Date;
  /** The merchants that were left out, because they have no replica that can answer. */
  readonly leftOut?: readonly string[];
}

/** If neighbors are out of order by more than this, the list is not sorted by creation time. */
const DISORDER_MS = 300_000;

/** Counts and collects what a walk examines. */
export class Examination<T extends { readonly id: string }> {
  readonly #size: number;
  readonly #backward: boolean;
  readonly #list: Judged<T>;
  readonly #budget: SearchBudget;
  readonly #matches: T[] = [];
  #first: string | undefined;
  #last: T | undefined;
  #examined = 0;
  #skipped = 0;
  #isSorted = true;
  #failure: RestError | undefined;
  readonly #seen = new Set<string>();

  constructor(
    { size, backward }: { readonly size: number; readonly backward: boolean },
    list: Judged<T>,
    budget: SearchBudget,
  ) {
    this.#size = size;
    this.#backward = backward;
    this.#list = list;
    this.#budget = budget;
  }

  /** Whether the page is full. */
  get isFull(): boolean {
    return this.#matches.length >= this.#size;
  }

  /**
   * Examines records in order. False if it stopped early, because the page is full, the budget is
   * spent or the service failed.
   *
   * @param invalid how many elements of the response are not records
   */
  async examine(records: readonly T[], invalid: number): Promise<boolean> {
    let next = 0;
    while (next < records.length && !this.isFull) {
      // Each of these would be examined even if all the others match.
      const segment = records.slice(next, next + this.#size - this.#matches.length);
      const verdicts = await this.#judgeAll(segment);
      for (const [index, record] of segment.entries()) {
        const verdict = verdicts[index];
        if (verdict === undefined) break;
        this.#note(record, verdict);
      }
      next += verdicts.length;
      if (verdicts.length < segment.length) return false;
    }
    if (next < records.length) return false;
    this.#skipped += invalid;
    return true;
  }

  /** Why nothing could be examined, if a service has failed. */
  get failure(): RestError | undefined {
    return this.#examined === 0 ? this.#failure : undefined;
  }

  /** The records not yet examined, without duplicates. */
  withoutSeen(records: readonly T[]): readonly T[] {
    const isNew = ({ id }: T) => !this.#seen.has(id);
    return [...new Map(records.filter(isNew).map((record) => [record.id, record])).values()];
  }

  /** Whether all of these records, and so all further ones, are beyond the wanted time range. */
  isPast(records: readonly T[]): boolean {
    const { from, to } = this.#list.created;
    const limit = this.#backward ? to : from;
    if (limit == null || !this.#isSorted || records.length === 0) return false;
    return records.every((record) => {
      const created = this.#list.createdAt(record);
      if (created === undefined) return false;
      return this.#backward ? created >= limit : created < limit;
    });
  }

  result(complete: boolean, isAtEnd = false): Examined<T> {
    return {
      matches: this.#matches,
      first: this.#first,
      last: this.#last?.id,
      examined: this.#examined,
      skipped: this.#skipped,
      examinedTo: this.#last && this.#list.createdAt(this.#last),
      complete,
      isAtEnd,
    };
  }

  /**
   * Judges records concurrently, up to the first one whose call would exceed the budget. The first
   * record of a walk is always judged, so that every walk makes progress.
   */
  async #judgeAll(segment: readonly T[]): Promise<Verdict[]> {
    const judging: Promise<Verdict | undefined>[] = [];
    for (const record of segment) {
      const verdict = this.#list.judge(record);
      const isFirst = this.#examined + judging.length === 0;
      if (verdict === 'INCOMPLETE' && !this.#budget.take() && !isFirst) break;
      judging.push(verdict === 'INCOMPLETE' ? this.#judgeFull(record) : Promise.resolve(verdict));
    }
    const verdicts = await Promise.all(judging);
    const stop = verdicts.indexOf(undefined);
    // No verdict before `stop` is undefined.
    return (stop === -1 ? verdicts : verdicts.slice(0, stop)) as Verdict[];
  }

  /** Undefined if the service fails. A record that the service cannot show is skipped. */
  #judgeFull(record: T): Promise<Verdict | undefined> {
    return this.#list.judgeFull(record).catch((error) => {
      if (error instanceof ShapeError) return 'UNREADABLE';
      if (!(error instanceof RestError)) throw error;
      if (isOfRecord(error)) return 'UNREADABLE';
      this.#failure ??= error;
      return undefined;
    });
  }

  #note(record: T, verdict: Verdict): void {
    if (this.#last !== undefined && this.#areUnsorted(this.#last, record)) this.#isSorted = false;
    this.#seen.add(record.id);
    this.#first ??= record.id;
    this.#last = record;
    this.#examined++;
    if (verdict === 'YES') this.#matches.push(record);
    else if (verdict !== 'NO') this.#skipped++;
  }

  #areUnsorted(before: T, after: T): boolean {
    const [earlier, later] = [before, after].map(this.#list.createdAt);
    if (earlier === undefined || later === undefined) return false;
    const ahead = later.getTime() - earlier.getTime();
    return (this.#backward ? -ahead : ahead) > DISORDER_MS;
  }
}

/** Whether the record causes the failure, so that a later request would fail too. */
function isOfRecord({ failure, status, notFound }: RestError): boolean {
  return failure === 'bad-response' || failure === 'too-large' || notFound || status === 403;
}
