import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { singleRow } from '../environment.ts';
import { readControlState, writePayoutSchedule } from '../state/sandbox-clock.ts';
import { insertLine } from './lines.ts';
import type { MerchantRow } from './merchant-row.ts';
import { lockMerchant } from './rows.ts';

/** A payout, as a line. `amount` is minor units of the funding currency. */
export interface Payout {
  readonly lineId: string;
  readonly merchantId: string;
  readonly amount: number;
  readonly currency: string;
}

/**
 * Pays out a merchant: a line takes the amount from the balance. Returns undefined, and does
 * nothing, if the balance is smaller.
 *
 * @param wanted minor units of the funding currency; the whole balance if left out
 */
export async function payOut(
  environment: Environment,
  tx: Queryable,
  merchantId: string,
  wanted?: number,
): Promise<Payout | undefined> {
  await lockMerchant(tx, merchantId);
  const merchant = singleRow(
    await tx.query<MerchantRow>('SELECT * FROM merchant WHERE id = $1', [merchantId]),
  );
  const amount = wanted ?? merchant.balance;
  if (amount < 1 || amount > merchant.balance) return undefined;
  const lineId = await insertLine(environment, tx, {
    merchant_id: merchant.id,
    test: merchant.test,
    created: environment.clock(),
    balance: -amount,
    fee: 0,
    transaction_id: null,
    currency: null,
    amount: null,
    kind: 'payout',
    iban: merchant.iban,
    description: 'Payout',
  });
  return { lineId, merchantId, amount, currency: merchant.currency };
}

/** Pays out every merchant with a positive balance, if the schedule says so by now. */
export async function payOutOnSchedule(environment: Environment): Promise<void> {
  const { database, clock } = environment;
  const { payout_every_ms, next_payout } = await readControlState(database);
  if (payout_every_ms === null || next_payout === null || next_payout > clock()) return;
  await database.transaction(async (tx) => {
    // Two processes on one database pay out once.
    const due = await tx.query('SELECT 1 FROM control_state WHERE next_payout = $1 FOR UPDATE', [
      next_payout,
    ]);
    if (due.length === 0) return;
    const merchants = await tx.query<{ id: string }>(
      'SELECT id FROM merchant WHERE balance > 0 ORDER BY id',
    );
    for (const { id } of merchants) await payOut(environment, tx, id);
    const missed = Math.floor((clock().getTime() - next_payout.getTime()) / payout_every_ms);
    await writePayoutSchedule(tx, {
      payout_every_ms,
      next_payout: new Date(next_payout.getTime() + (missed + 1) * payout_every_ms),
    });
  });
}

/** When the schedule next has something to pay out; undefined if it has nothing. */
export async function nextPayout(database: Queryable): Promise<Date | undefined> {
  const { next_payout } = await readControlState(database);
  if (next_payout === null) return undefined;
  const positive = await database.query('SELECT 1 FROM merchant WHERE balance > 0 LIMIT 1');
  return positive.length === 0 ? undefined : next_payout;
}
