import { isDeepStrictEqual } from 'node:util';
import type { AnyRecord, Shop } from './shop.ts';

const kinds = ['capture', 'refund', 'void', 'dispute'] as const;

/**
 * Reads everything that a merchant has and names each statement of the ledger that
 * does not hold: counters add up, trail and counters agree, every movement of money has
 * its one line, and the balance is the sum of them.
 */
export async function ledgerFaults({ payments, id }: Pick<Shop, 'payments' | 'id'>) {
  const { merchant } = (await payments.get(`/merchants/${id}`)).body;
  const transactions: AnyRecord[] = (await payments.get(`/merchants/${id}/transactions?limit=1000`))
    .body;
  const lines: AnyRecord[] = (await payments.get(`/merchants/${id}/lines?limit=1000`)).body;
  const faults: string[] = [];

  function same(statement: string, left: unknown, right: unknown): void {
    if (isDeepStrictEqual(left, right)) return;
    faults.push(`${statement}: ${JSON.stringify(left)} is not ${JSON.stringify(right)}`);
  }

  const lineOf = new Map(lines.map((line) => [line.id, line]));
  for (const transaction of transactions) {
    countersAddUp(transaction, same);
    const opened = lines.filter(
      (line) => line.transactionId === transaction.id && line.dispute && !line.won && !line.lost,
    );
    same(`${transaction.id} disputed`, transaction.disputedAmount, sum(opened, 'amount', 'amount'));
    for (const line of opened) {
      same(`${line.id} moves nothing`, [line.balance, line.fee], [0, 0]);
      lineOf.delete(line.id);
    }
    for (const entry of transaction.trail) {
      const kind = kindOf(entry);
      if (kind === 'void') {
        same(`${transaction.id} void`, [entry.lineId, entry.balance], [undefined, 0]);
        continue;
      }
      const { balance, created, amount } = entry;
      const outcome = { won: entry.dispute?.won, lost: entry.dispute?.lost };
      const line = lineOf.get(entry.lineId) ?? {};
      lineOf.delete(entry.lineId);
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
          outcome,
        },
      );
    }
  }
  same('lines without an entry', [...lineOf.keys()], []);
  same('balance of the lines', merchant.balance, sum(lines, 'balance'));
  const trails = transactions.flatMap(({ trail }) => trail);
  same('balance of the trails', merchant.balance, sum(trails, 'balance'));
  for (const list of [transactions, lines]) {
    const ids = list.map((record) => record.id);
    same('ids, each once, newest first', ids, [...new Set(ids)].sort().reverse());
  }
  return { faults, transactions, lines, balance: merchant.balance as number };
}

function countersAddUp(
  transaction: AnyRecord,
  same: (statement: string, left: unknown, right: unknown) => void,
): void {
  const { id, amount, pendingAmount, capturedAmount, voidedAmount, refundedAmount } = transaction;
  const of = (kind: string) =>
    sum(
      transaction.trail.filter((entry: AnyRecord) => entry[kind]),
      'amount',
    );
  const counters = [pendingAmount, capturedAmount, voidedAmount, refundedAmount];
  const whole = transaction.successful ? amount : 0;
  same(`${id} amount`, whole, pendingAmount + capturedAmount + voidedAmount);
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

/** The one kind that an entry has; an entry with none or two has "none or several". */
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
