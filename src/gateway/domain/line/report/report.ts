import { addUpCopy, type CopySearch, searchCopy } from '../../../replica/search-copy.ts';
import type { Context } from '../../../schema/context.ts';
import type { SearchProgress } from '../../../schema/paging.ts';
import { daysIn } from '../../../schema/scalars.ts';
import { judge, readable } from '../../../search/condition.ts';
import type { Examined } from '../../../search/examination.ts';
import { everythingFrom, NOTHING, progressOf } from '../../../search/search.ts';
import type { SearchBudget } from '../../../search/search-budget.ts';
import { walk } from '../../../search/walk.ts';
import { readInstant, readIntegerOrNull } from '../../../upstream/record.ts';
import { badResponse } from '../../../upstream/rest-error.ts';
import { lineCopy, narrowingOf } from '../line-copy.ts';
import type { Line } from '../line-source.ts';
import { readReportCursor, toReportCursor } from './report-cursor.ts';
import {
  add,
  type Balances,
  balancesOf,
  type Period,
  type Row,
  type Tally,
  toEntry,
} from './tally.ts';

/** Balance changes of a merchant in a period. */
export interface Report {
  readonly currency: string;
  /** One per day and kind, unordered. */
  readonly rows: readonly Row[];
  /** Undefined if they are not known. */
  readonly balances: Balances | undefined;
  readonly search: SearchProgress;
  readonly endCursor: string | null;
}

/** The merchant and the period of a report. */
export interface Subject extends Period {
  readonly merchantId: string;
  /** The funding currency of the merchant. */
  readonly currency: string;
  readonly timeZone: string;
}

/**
 * Creates a report, or as much of it as the budget allows. It starts at the newest line, so lines
 * that arrive later do not change it.
 *
 * @param after the cursor of the previous part
 */
export async function makeReport(
  subject: Subject,
  after: string | undefined,
  context: Pick<Context, 'lines' | 'merchants' | 'replica' | 'search'>,
): Promise<Report> {
  const { merchantId, currency, from, to, timeZone } = subject;
  const about = JSON.stringify([merchantId, from, to, timeZone]);
  const dayOf = daysIn(timeZone);
  const begun =
    after === undefined
      ? await begin(subject, dayOf, context)
      : { ...readReportCursor(after, about), examined: 0 };
  if (begun === undefined) return nothingRead(currency, context.search);
  const { balance, tally } = begun;
  const found = await examine(subject, begun.last, balance !== null, context);
  const read = found.matches.map((line) => context.lines.read(line, toEntry));
  add(tally, await Promise.all(read), subject, dayOf);
  tally.skipped += found.skipped;
  tally.older += found.older ?? 0n;
  const last = found.last ?? begun.last;
  const search = progressOf(found, context.search);
  return {
    currency,
    rows: [...tally.rows.values()],
    balances: found.complete ? balancesOf(tally, balance, found.isAtEnd) : undefined,
    search: { ...search, examined: search.examined + begun.examined },
    endCursor: last === undefined ? null : toReportCursor({ last, balance, tally }, about),
  };
}

/** Other searches in the request used up the budget. The next request starts the report. */
function nothingRead(currency: string, budget: SearchBudget): Report {
  const search = progressOf({ ...NOTHING, complete: false }, budget);
  return { currency, rows: [], balances: undefined, search, endCursor: null };
}

/** Starts a report with the newest line and the balance after it, if the budget allows. */
async function begin(
  subject: Subject,
  dayOf: (instant: Date) => string,
  context: Pick<Context, 'lines' | 'merchants' | 'search'>,
) {
  const { search, lines } = context;
  if (!search.take(CALLS_OF_ANCHOR)) return undefined;
  const { newest, balance } = await readAnchor(subject.merchantId, context);
  const tally: Tally = { newer: 0n, older: 0n, rows: new Map(), skipped: 0 };
  if (newest === undefined) return { last: undefined, balance, tally, examined: 0 };
  const verdict = judge(newest, [isReadable]);
  if (verdict === 'YES') add(tally, [toEntry(newest)], subject, dayOf);
  else if (verdict === 'INCOMPLETE')
    add(tally, [await lines.read(newest, toEntry)], subject, dayOf);
  else tally.skipped++;
  return { last: newest.id, balance, tally, examined: 1 };
}

/** If no line arrives in the meantime: the newest line, the balance, the newest line again. */
const CALLS_OF_ANCHOR = 3;

const isReadable = (line: Line) => toEntry(line) !== undefined;

/** The lines that were read, and the sum of those before the period that were not. */
interface ExaminedLines extends Examined<Line> {
  readonly older?: bigint;
}

/**
 * Examines the lines after `start`: back to the start of the period, or all if the balance is not
 * known.
 */
async function examine(
  subject: Subject,
  start: string | undefined,
  isBalanceKnown: boolean,
  { lines, search, replica }: Pick<Context, 'lines' | 'search' | 'replica'>,
): Promise<ExaminedLines> {
  const { merchantId, from } = subject;
  // The merchant has no lines.
  if (start === undefined) return { ...NOTHING, isAtEnd: true };
  const judged = {
    judge: (line: Line) => judge(line, [isReadable]),
    judgeFull: async (line: Line) => judge(await lines.loadFull(line), [isReadable]),
    createdAt: (line: Line) => readable(() => readInstant(line, 'created')),
    created: isBalanceKnown ? { from } : {},
  };
  const copy = { merchantIds: [merchantId], list: lineCopy, judged, adopt: lines.adopt };
  const found = await examineCopy(copy, subject, start, { replica, search });
  return (
    found ?? walk(everythingFrom(start), { ...lines.pagedFresh(merchantId), ...judged }, search)
  );
}

/**
 * Examines the lines after `start` in the replica, and adds up those before the period. Undefined if
 * it does not have that line, or if a line cannot be read: the service may not need it.
 */
async function examineCopy(
  given: Omit<CopySearch<Line>, 'narrowing'>,
  { from }: Subject,
  start: string,
  { replica, search }: Pick<Context, 'replica' | 'search'>,
): Promise<ExaminedLines | undefined> {
  const inside = { ...given, narrowing: narrowingOf({ createdAt: { from } }) };
  const found = await searchCopy(replica, inside, everythingFrom(start), search);
  if (found === undefined || found.skipped > 0) return undefined;
  if (!found.complete) return found;
  const before = { ...given, narrowing: narrowingOf({ createdAt: { to: from } }) };
  const added = await addUpCopy(replica, before, SUM_OF_CHANGES, start, search);
  if (added === undefined) return undefined;
  const older = added.totals.reduce((sum, { sums }) => sum + BigInt(sums[0] ?? 0), 0n);
  return { ...found, older, isAtEnd: true };
}

/** How the balance changes of lines are added up. */
const SUM_OF_CHANGES = { by: [], isByQuarter: false, sums: 1 };

/** A line with the balance after it. */
export interface Anchor {
  /** The newest line; undefined if there is none. */
  readonly newest: Line | undefined;
  /** In minor units; null if it is not known. */
  readonly balance: bigint | null;
}

/** Attempts to read the balance without a line arriving in the meantime. */
const TRIES = 3;

/**
 * Reads a merchant's newest line and the balance after it. They belong together if that line is
 * still the newest after the balance was read.
 */
async function readAnchor(
  merchantId: string,
  { lines, merchants }: Pick<Context, 'lines' | 'merchants'>,
): Promise<Anchor> {
  const list = lines.pagedFresh(merchantId);
  const readNewest = async () => {
    const { records, isLast } = await list.fetch({ limit: 1 });
    // Only the last page can be empty.
    if (records[0] === undefined && !isLast) throw badResponse(list.service, 'GET');
    return records[0];
  };
  let newest = await readNewest();
  for (let count = 0; count < TRIES; count++) {
    const merchant = await merchants.readFresh(merchantId);
    const balance = merchant && readable(() => readIntegerOrNull(merchant, 'balance'));
    if (balance == null) break;
    const after = await readNewest();
    if (after?.id === newest?.id) return { newest, balance: BigInt(balance) };
    newest = after;
  }
  return { newest, balance: null };
}
