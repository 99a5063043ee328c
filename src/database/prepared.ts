import pg from 'pg';
import type { Database } from './database.ts';
import { type Execute, nameOf } from './time-limit.ts';

/** SQLSTATE: the statement is not there, or is there already. Nothing was executed. */
const PREPARED_ELSEWHERE = new Set(['26000', '42P05']);

/**
 * Runs statements by name. Planning a statement of the store of money operations costs the server more
 * than executing it. Behind a pooler that gives each transaction another connection, from the
 * first statement that is not where it was prepared, they are sent without a name.
 */
export function createPrepared(execute: Execute, query: Database['query']): Database['prepared'] {
  let isPooled = false;
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    if (isPooled) return query<Row>(text, values);
    try {
      // As in `query`: only the caller knows the columns.
      return (await execute({ name: nameOf(text), text, values: [...values] })).rows as Row[];
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !PREPARED_ELSEWHERE.has(error.code ?? '')) {
        throw error;
      }
      isPooled = true;
      return query<Row>(text, values);
    }
  };
}
