import type { Queryable } from '../../database/database.ts';
import type { HttpRequest, Route } from '../http/router.ts';

/** The tables of the records whose id is the first placeholder of a path. */
const tables: Readonly<Record<string, string>> = {
  transactions: 'transaction',
  lines: 'line',
  cards: 'saved_card',
  disputes: 'dispute',
  frauds: 'fraud_alert',
};

/** Returns the id of the merchant whose records a request is for, if there is one. */
export async function merchantOf(
  database: Queryable,
  { path }: Pick<Route, 'path'>,
  { params, query }: Pick<HttpRequest, 'params' | 'query'>,
): Promise<string | undefined> {
  const [, noun = ''] = path.split('/');
  if (noun === 'merchants') return params.id;
  const table = tables[noun];
  if (table !== undefined && params.id !== undefined) {
    return columnOf(database, `SELECT merchant_id AS id FROM ${table} WHERE id = $1`, params.id);
  }
  const key = query.get('key');
  if (noun === '' && key !== null) {
    return columnOf(database, 'SELECT id FROM merchant WHERE key = $1', key.replaceAll('\0', ''));
  }
  return query.get('filter[merchantId]')?.toLowerCase();
}

async function columnOf(
  database: Queryable,
  sql: string,
  value: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(sql, [value]);
  return row?.id;
}
