import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { flag, flagFilter, page } from '../http/fields.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { recordInPath } from './access.ts';
import { counter, date, iban, id, knownCurrency, minorUnits, yes } from './fields.ts';
import { merchantInPath } from './merchant-row.ts';
import { listRows } from './rows.ts';
import type { TrailRow, TransactionRow } from './transaction-row.ts';

/** A stored line: one change of a merchant's balance. */
interface LineRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly test: boolean;
  readonly created: Date;
  /** The change of the balance, in minor units of the funding currency. */
  readonly balance: number;
  /** Minor units of the funding currency; already subtracted from `balance`. */
  readonly fee: number;
  /** Null for a payout, like the currency and the amount. */
  readonly transaction_id: string | null;
  readonly currency: string | null;
  /** Minor units of `currency`, the currency of the transaction. */
  readonly amount: number | null;
  readonly kind: 'capture' | 'refund' | 'dispute' | 'payout';
  readonly dispute_id: string | null;
  readonly outcome: 'won' | 'lost' | null;
  /** The account that a payout goes to, if the merchant has named one. */
  readonly iban: string | null;
  readonly description: string;
}

const common = { id, created: date, merchantId: id, test: flag };
const money = { balance: minorUnits, fee: minorUnits, description: z.string() };
const ofPayment = {
  ...{ ...common, ...money, transactionId: id },
  amount: z.object({ currency: knownCurrency, amount: counter }),
};
const none = z.literal(0);
const dispute = { ...ofPayment, dispute: yes, disputeId: id };

const Line = z
  .xor([
    z.object({ ...ofPayment, capture: yes }),
    z.object({ ...ofPayment, refund: yes }),
    z.object({ ...dispute, balance: none, fee: none }),
    z.object({ ...dispute, won: yes }),
    z.object({ ...dispute, lost: yes }),
    z.object({
      ...{ ...common, ...money, balance: z.int().max(-1), fee: none },
      ...{ payout: yes, bank: z.object({ iban: iban.nullable() }) },
    }),
  ])
  .meta({ id: 'Line' });

/** A new line. */
type LineInput = Omit<LineRow, 'id' | 'dispute_id' | 'outcome' | 'iban'> &
  Partial<Pick<LineRow, 'dispute_id' | 'outcome' | 'iban'>>;

/** Returns the fields of a line that come from its transaction. */
export function ofTransaction(
  { merchant_id, test, id, currency }: TransactionRow,
  amount: number,
): Pick<LineInput, 'merchant_id' | 'test' | 'transaction_id' | 'currency' | 'amount'> {
  return { merchant_id, test, transaction_id: id, currency, amount };
}

/** Lists and returns lines. Specification: payments, "Line". */
export function lineRoutes(environment: Environment): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'GET',
      path: '/merchants/:id/lines',
      summary: 'List the lines of a merchant, newest first.',
      subject: merchantInPath(database),
      query: { ...page, 'filter[test]': flagFilter('test') },
      responses: { 200: json('The lines.', z.array(Line)) },
      handle: async ({ subject: merchant, query }) => {
        const test = query['filter[test]'];
        const rows = await listRows<LineRow>(
          database,
          'line',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}`,
          [merchant.id],
          query,
        );
        return rows.map(showLine);
      },
      respond: listResponse,
    }),
    defineOperation({
      method: 'GET',
      path: '/lines/:id',
      summary: 'Get a line.',
      subject: recordInPath(database, lineById, 'line'),
      responses: { 200: json('The line.', Line) },
      handle: async ({ subject }) => showLine(subject),
    }),
  ];
}

async function lineById(database: Queryable, id: string): Promise<LineRow | undefined> {
  const [row] = await database.query<LineRow>('SELECT * FROM line WHERE id = $1', [id]);
  return row;
}

/** Inserts a line and adds its balance to the merchant's. Returns the id of the line. */
export async function insertLine(
  environment: Environment,
  tx: Queryable,
  line: LineInput,
): Promise<string> {
  const id = await nextId(environment, tx);
  await tx.query(
    `INSERT INTO line (id, merchant_id, test, created, balance, fee, transaction_id, currency,
      amount, kind, dispute_id, outcome, iban, description)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      id,
      line.merchant_id,
      line.test,
      line.created,
      line.balance,
      line.fee,
      line.transaction_id,
      line.currency,
      line.amount,
      line.kind,
      line.dispute_id ?? null,
      line.outcome ?? null,
      line.iban ?? null,
      line.description,
    ],
  );
  await tx.query('UPDATE merchant SET balance = balance + $2 WHERE id = $1', [
    line.merchant_id,
    line.balance,
  ]);
  return id;
}

function showLine(row: LineRow) {
  return {
    id: row.id,
    created: row.created,
    merchantId: row.merchant_id,
    test: row.test,
    balance: row.balance,
    fee: row.fee,
    ...(row.transaction_id === null
      ? { bank: { iban: row.iban } }
      : {
          transactionId: row.transaction_id,
          amount: { currency: row.currency, amount: row.amount },
        }),
    [row.kind]: true,
    ...(row.outcome === null ? {} : { [row.outcome]: true }),
    ...(row.dispute_id === null ? {} : { disputeId: row.dispute_id }),
    description: row.description,
  };
}

/** A new entry of a trail. */
export type TrailInput = Pick<
  TrailRow,
  'kind' | 'created' | 'amount' | 'gross' | 'fee_flat' | 'fee_rate' | 'descriptor'
> &
  Partial<Pick<TrailRow, 'dispute_id' | 'outcome'>> & {
    /** The description of the line. A void has no line and so no description. */
    readonly description?: string;
  };

/**
 * Adds one entry to the trail of a transaction and, unless it is a void, its line. Date, balance
 * and fee of the two always agree because this function inserts both.
 */
export async function addToTrail(
  environment: Environment,
  tx: Queryable,
  transaction: TransactionRow,
  entry: TrailInput,
): Promise<void> {
  const { kind, created, amount, gross, fee_flat, fee_rate, descriptor } = entry;
  const balance = gross - fee_flat - fee_rate;
  const dispute_id = entry.dispute_id ?? null;
  const outcome = entry.outcome ?? null;
  const lineId =
    kind === 'void'
      ? null
      : await insertLine(environment, tx, {
          ...ofTransaction(transaction, amount),
          kind,
          created,
          balance,
          fee: fee_flat + fee_rate,
          dispute_id,
          outcome,
          description: entry.description ?? '',
        });
  await tx.query(
    `INSERT INTO trail_entry (transaction_id, kind, created, amount, gross, fee_flat, fee_rate,
      balance, descriptor, line_id, dispute_id, outcome)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      transaction.id,
      kind,
      created,
      amount,
      gross,
      fee_flat,
      fee_rate,
      balance,
      descriptor,
      lineId,
      dispute_id,
      outcome,
    ],
  );
}
