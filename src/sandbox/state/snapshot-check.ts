import type { Queryable } from '../../database/database.ts';
import { invalidField } from '../http/http-error.ts';
import { replaceByContents } from '../seed/seed.ts';

/**
 * Inserts the records once, and rolls that back: a file that does not fit is rejected when it is
 * imported, not when it is needed. Throws 400 for it.
 */
export async function tryContents(tx: Queryable, contents: string): Promise<void> {
  await tx.query('SAVEPOINT try_records');
  let problem: Problem | undefined;
  try {
    await replaceByContents(tx, contents);
    problem = await inexactBalance(tx);
  } catch (error) {
    problem = problemOf(error);
  }
  await tx.query('ROLLBACK TO SAVEPOINT try_records');
  if (problem !== undefined) throw invalidField(problem.field, problem.message);
}

interface Problem {
  readonly field: string;
  readonly message: string;
}

/** The balance of a merchant is always the sum of its lines. */
async function inexactBalance(tx: Queryable): Promise<Problem | undefined> {
  const [merchant] = await tx.query<{ id: string }>(
    `SELECT id FROM merchant WHERE balance <>
      (SELECT coalesce(sum(line.balance), 0) FROM line WHERE merchant_id = merchant.id) LIMIT 1`,
  );
  if (merchant === undefined) return undefined;
  const message = `The balance of ${merchant.id} is not the sum of the balances of its lines`;
  return { field: 'records.merchant', message };
}

/** An error of PostgreSQL, as both drivers throw it. */
interface StatementError {
  readonly code?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly detail?: string;
}

const FOREIGN_KEY = '23503';
const NOT_UNIQUE = '23505';

/** What is wrong with the records, if PostgreSQL says that the error is one of its classes for data. */
function problemOf(error: unknown): Problem {
  // Any other error has no such code, and is thrown again.
  const { code = '', table, constraint, detail = '' } = error as StatementError;
  if (!/^(21|22|23)/.test(code)) throw error;
  const field = table === undefined ? 'records' : `records.${table}`;
  // The columns and values of keys, such as `Key (id)=(6a1d…) already exists.`
  const [, columns = '', values = ''] = /^Key \((.+?)\)=\((.+?)\)/.exec(detail) ?? [];
  if (code === FOREIGN_KEY) {
    return { field, message: `A row has the ${columns} ${values}, which is in no other table` };
  }
  if (code === NOT_UNIQUE) {
    return { field, message: `Two rows have the same ${columns}` };
  }
  const [, row = ''] = /^Failing row contains \((\w+)/.exec(detail) ?? [];
  const which = row === '' ? 'A row' : `The row ${row}`;
  return { field, message: `${which} cannot exist${constraint ? `: see ${constraint}` : ''}` };
}
