import type { Queryable } from '../../database/database.ts';
import type { Page } from '../http/fields.ts';
import { httpError } from '../http/http-error.ts';
import type { TransactionRow } from './transaction-row.ts';

/**
 * Selects the requested part of a list. The newest record comes first, except with `after`
 * alone: then the oldest comes first, so that the record next to the cursor is the first one.
 *
 * Specification: payments, "Pagination".
 *
 * @param from SQL with a column `id`; never input of a caller
 * @param where SQL with placeholders for `values`; never input of a caller
 */
export function listRows<Row>(
  database: Queryable,
  from: string,
  where: string,
  values: readonly unknown[],
  { limit, before, after }: Page,
): Promise<Row[]> {
  const conditions = [where];
  const all = [...values];
  if (before !== undefined) conditions.push(`id < $${all.push(before)}`);
  if (after !== undefined) conditions.push(`id > $${all.push(after)}`);
  const order = after !== undefined && before === undefined ? 'ASC' : 'DESC';
  return database.query<Row>(
    `SELECT * FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY id ${order} LIMIT $${all.push(limit)}`,
    all,
  );
}

/**
 * Locks the merchant of a transaction, then the transaction, and returns its current row. Every
 * change locks in this order, so that two changes cannot deadlock. The changes of a merchant
 * therefore commit one after another, and new ids become visible in ascending order.
 */
export async function lockTransaction(
  tx: Queryable,
  { id, merchant_id }: Pick<TransactionRow, 'id' | 'merchant_id'>,
): Promise<TransactionRow> {
  await lockMerchant(tx, merchant_id);
  const [row] = await tx.query<TransactionRow>(
    'SELECT * FROM transaction WHERE id = $1 FOR UPDATE',
    [id],
  );
  // A reset has replaced all records since the transaction was read.
  if (row === undefined) throw httpError(404, 'This transaction does not exist');
  return row;
}

/**
 * Makes other changes to records of a merchant wait until this database transaction ends. Throws
 * 404 if a reset has replaced all records since the merchant was read.
 */
export async function lockMerchant(tx: Queryable, id: string): Promise<void> {
  const locked = await tx.query('SELECT 1 FROM merchant WHERE id = $1 FOR NO KEY UPDATE', [id]);
  if (locked.length === 0) throw httpError(404, 'This merchant does not exist');
}
