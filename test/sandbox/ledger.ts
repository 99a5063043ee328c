import { isDeepStrictEqual } from 'node:util';
import type { AnyRecord, Shop } from './shop.ts';

/** Reports a violated rule if the two values differ. */
type Same = (statement: string, left: unknown, right: unknown) => void;

type Ledger = Pick<Shop, 'payments' | 'id'>;

const kinds = ['capture', 'refund', 'void', 'dispute'] as const;

/**
 * Reads every record of a merchant and returns the rules of the ledger that they violate: the
 * counters add up, the trail matches the counters, every entry that moves money has one line, the
 * balance is the sum of the lines, and the lines that are no payouts have the sum of the trails.
 */
export async function ledgerFaults(shop: Ledger) {
  const { merchant, transactions, lines } = await readLedger(shop);
  const faults: string[] = [];

  function same(statement: string, left: unknown, right: unknown): void {
    if (isDeepStrictEqual(left, right)) return;
    faults.push(`${statement}: ${JSON.stringify(left)} is not ${JSON.stringify(right)}`);
  }

  const unmatched = new Map(lines.map((line) => [line.id, line]));
  for (const transaction of transactions) {
    countersAddUp(transaction, same);
    disputesOpen(transaction, lines, unmatched, same);
    for (const entry of transaction.trail) entryHasLine(transaction, entry, unmatched, same);
  }
  const payouts = lines.filter((line) => line.payout);
  for (const { id: line } of payouts) unmatched.delete(line);
  same('lines without an entry', [...unmatched.keys()], []);
  same('balance of the lines', merchant.balance, sum(lines, 'balance'));
  const trails = transactions.flatMap(({ trail }) => trail);
  const gained = sum(trails, 'balance');
  same('balance of the trails', merchant.balance, gained + sum(payouts, 'balance'));
  for (const list of [transactions, lines]) {
    const ids = list.map((record) => record.id);
    same('ids, each once, newest first', ids, [...new Set(ids)].sort().reverse());
  }
  return { faults, transactions, lines, balance: merchant.balance };
}

/**
 * Reads the records of a merchant as they are at one moment: if the merchant changed between the
 * requests, because a dispute got its outcome, it reads them again.
 */
async function readLedger({ payments, id }: Ledger) {
  const get = async (path: string) => (await payments.get(`/merchants/${id}${path}`)).body;
  let { merchant } = await get('');
  for (;;) {
    const transactions: AnyRecord[] = await get('/transactions?limit=1000');
    const lines: AnyRecord[] = await get('/lines?limit=1000');
    const after = (await get('')).merchant;
    if (isDeepStrictEqual(merchant, after)) return { merchant, transactions, lines };
    merchant = after;
  }
}

function countersAddUp(transaction: AnyRecord, same: Same): void {
  const { id, amount, pendingAmount, capturedAmount, voidedAmount, refundedAmount } = transaction;
  const of = (kind: string) =>
    sum(
      transaction.trail.filter((entry: AnyRecord) => entry[kind]),
      'amount',
    );
  const counters = [pendingAmount, capturedAmount, voidedAmount, refundedAmount];
  const expected = transaction.successful ? amount : 0;
  same(`${id} amount`, expected, pendingAmount + capturedAmount + voidedAmount);
  same(
    `${id} counters`,
    counters.filter((counter) => !Number.isInteger(counter) || counter < 0),
    [],
  );
  same(`${id} refunds fit`, refundedAmount <= capturedAmount, true);
  same(
    `${id} trail`,
    [capturedAmount, voidedAmount, refundedAmount],
    [of('capture'), of('void'), of('refund')],
  );
}

/** Checks the lines of a transaction that open a dispute, and removes them from `unmatched`. */
function disputesOpen(
  transaction: AnyRecord,
  lines: readonly AnyRecord[],
  unmatched: Map<string, AnyRecord>,
  same: Same,
): void {
  const opened = lines.filter(
    (line) => line.transactionId === transaction.id && line.dispute && !line.won && !line.lost,
  );
  same(`${transaction.id} disputed`, transaction.disputedAmount, sum(opened, 'amount', 'amount'));
  for (const line of opened) {
    same(`${line.id} moves nothing`, [line.balance, line.fee], [0, 0]);
    unmatched.delete(line.id);
  }
}

/** Checks an entry against its line, and removes the line from `unmatched`. A void has no line. */
function entryHasLine(
  transaction: AnyRecord,
  entry: AnyRecord,
  unmatched: Map<string, AnyRecord>,
  same: Same,
): void {
  const kind = kindOf(entry);
  if (kind === 'void') {
    same(`${transaction.id} void`, [entry.lineId, entry.balance], [undefined, 0]);
    return;
  }
  const { balance, created, amount } = entry;
  const line = unmatched.get(entry.lineId) ?? {};
  unmatched.delete(entry.lineId);
  same(
    `${transaction.id} ${kind} has its line`,
    {
      transactionId: line.transactionId,
      kind: line[kind],
      created: line.created,
      balance: line.balance,
      fee: line.fee,
      amount: line.amount,
      outcome: { won: line.won, lost: line.lost },
    },
    {
      transactionId: transaction.id,
      kind: true,
      created,
      balance,
      fee: entry.fee.flat + entry.fee.rate,
      amount: { currency: transaction.currency, amount },
      outcome: { won: entry.dispute?.won, lost: entry.dispute?.lost },
    },
  );
}

/** The kind of an entry. An entry must have exactly one. */
function kindOf(entry: AnyRecord): string {
  const found = kinds.filter((kind) => kind in entry);
  return found.length === 1 ? (found[0] as string) : 'none or several';
}

function sum(records: readonly AnyRecord[], ...path: string[]): number {
  return records.reduce((total, record) => {
    const value = path.reduce((inner, step) => inner[step], record);
    return total + value;
  }, 0);
}
