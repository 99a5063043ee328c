import type { Queryable } from '../../database/database.ts';
import type { Page } from '../http/page.ts';

/**
 * One page of records by id. Newest first, except with `after` alone: then oldest
 * first, so that the nearest newer record comes first. `from` and `where` are SQL of
 * ours; the list's id must be called `id` there.
 *
 * Specification: payments, "Pagination".
 */
export function pageOf<Row>(
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
