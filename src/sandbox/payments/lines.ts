import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { readListRequest } from '../http/list-request.ts';
import { jsonResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { authenticate, requireAccess } from './access.ts';
import { listRows } from './list-rows.ts';
import { requireMerchant } from './merchant-row.ts';
import type { TransactionRow } from './transaction-row.ts';

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
export function lineRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'GET',
      path: '/merchants/:id/lines',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const input = readListRequest(request.query, { test: 'flag' });
        const { test } = input.flags;
        const rows = await listRows<LineRow>(
          database,
          'line',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}`,
          [merchant.id],
          input,
        );
        return listResponse(rows.map(showLine));
      },
    },
    {
      method: 'GET',
      path: '/lines/:id',
      handle: async (request) => {
        const app = await authenticate(database, request);
        const [row] = await database.query<LineRow>('SELECT * FROM line WHERE id = $1', [
          request.params.id,
        ]);
        return jsonResponse(200, showLine(await requireAccess(database, app, row, 'line')));
      },
    },
  ];
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
