import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../single-row.ts';
import type { TransactionRow } from './transaction-row.ts';

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
  const rows = await tx.query<TransactionRow>(
    'SELECT * FROM transaction WHERE id = $1 FOR UPDATE',
    [id],
  );
  return singleRow(rows);
}

/** Makes other changes to records of a merchant wait until this database transaction ends. */
export async function lockMerchant(tx: Queryable, id: string): Promise<void> {
  await tx.query('SELECT 1 FROM merchant WHERE id = $1 FOR NO KEY UPDATE', [id]);
}
