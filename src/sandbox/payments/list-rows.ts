import type { Queryable } from '../../database/database.ts';
import type { Page } from '../http/fields.ts';

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
