import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Database } from './database.ts';

/** Of a digest in hexadecimal. Names of PostgreSQL have up to 63 characters. */
const NAME_DIGITS = 32;
/** SQLSTATE: the statement is not there, or is there already. Nothing was executed. */
const PREPARED_ELSEWHERE = new Set(['26000', '42P05']);

/**
 * Runs statements by name. Planning a statement of the store of money operations costs the server more
 * than executing it. Behind a pooler that gives each transaction another connection, from the
 * first statement that is not where it was prepared, they are sent without a name.
 */
export function createPrepared(pool: pg.Pool, query: Database['query']): Database['prepared'] {
  const names = new Map<string, string>();
  let isPooled = false;

  function nameOf(sql: string): string {
    const known = names.get(sql);
    if (known !== undefined) return known;
    // All that share the connection have the same statement under this name, or none.
    const name = `tillgraph_${createHash('sha256').update(sql).digest('hex').slice(0, NAME_DIGITS)}`;
    names.set(sql, name);
    return name;
  }
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    if (isPooled) return query<Row>(text, values);
    try {
      // As in `query`: only the caller knows the columns.
      return (await pool.query({ name: nameOf(text), text, values: [...values] })).rows as Row[];
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !PREPARED_ELSEWHERE.has(error.code ?? '')) {
        throw error;
      }
      isPooled = true;
      return query<Row>(text, values);
    }
  };
}
