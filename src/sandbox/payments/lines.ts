import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { readListRequest } from '../http/list-request.ts';
import { jsonResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { accessible, authenticate } from './access.ts';
import { listRows } from './list-rows.ts';
import { requireMerchant } from './merchants.ts';
import type { TransactionRow } from './transaction-row.ts';

/** A line as it is stored: one movement of a merchant's balance. */
interface LineRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly test: boolean;
  readonly created: Date;
  readonly balance: number;
  readonly fee: number;
  readonly transaction_id: string;
  readonly currency: string;
  readonly amount: number;
  readonly kind: 'capture' | 'refund' | 'dispute';
  readonly dispute_id: string | null;
  readonly outcome: 'won' | 'lost' | null;
  readonly description: string;
}

/** What a new line says besides whose it is. */
export type LineInput = Pick<LineRow, 'created' | 'balance' | 'fee' | 'amount' | 'kind'> &
  Partial<Pick<LineRow, 'dispute_id' | 'outcome'>> &
  Pick<LineRow, 'description'>;

/** List and fetch lines. Specification: payments, "Line". */
export function lineRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'GET',
      path: '/merchants/:id/lines',
      handle: async (request) => {
        const { merchant } = await requireMerchant(environment, request);
        const page = readListRequest(request.query, { test: 'flag' });
        const { test } = page.flags;
        const rows = await listRows<LineRow>(
          database,
          'line',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}`,
          [merchant.id],
          page,
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
        return jsonResponse(200, showLine(await accessible(database, app, row, 'line')));
      },
    },
  ];
}

/** Writes a line and moves the merchant's balance with it; answers the line's id. */
export async function insertLine(
  environment: Environment,
  tx: Queryable,
  transaction: TransactionRow,
  line: LineInput,
): Promise<string> {
  const id = await nextId(environment, tx);
  await tx.query(
    `INSERT INTO line (id, merchant_id, test, created, balance, fee, transaction_id, currency,
      amount, kind, dispute_id, outcome, description)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      id,
      transaction.merchant_id,
      transaction.test,
      line.created,
      line.balance,
      line.fee,
      transaction.id,
      transaction.currency,
      line.amount,
      line.kind,
      line.dispute_id ?? null,
      line.outcome ?? null,
      line.description,
    ],
  );
  await tx.query('UPDATE merchant SET balance = balance + $2 WHERE id = $1', [
    transaction.merchant_id,
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
    transactionId: row.transaction_id,
    amount: { currency: row.currency, amount: row.amount },
    [row.kind]: true,
    ...(row.outcome === null ? {} : { [row.outcome]: true }),
    ...(row.dispute_id === null ? {} : { disputeId: row.dispute_id }),
    description: row.description,
  };
}
