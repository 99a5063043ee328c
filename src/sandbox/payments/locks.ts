import type { Queryable } from '../../database/database.ts';
import type { TransactionRow } from './transaction-row.ts';

/**
 * Locks a transaction, its merchant first. Always in this order, so that two changes
 * wait for one another instead of both failing; and since a merchant's changes commit
 * one after another, its ids appear in their order.
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
  return row as TransactionRow;
}

/** Holds back other changes to what belongs to a merchant until this one is committed. */
export async function lockMerchant(tx: Queryable, id: string): Promise<void> {
  await tx.query('SELECT 1 FROM merchant WHERE id = $1 FOR NO KEY UPDATE', [id]);
}
