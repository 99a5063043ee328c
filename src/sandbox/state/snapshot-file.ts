import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { isTime, time } from '../control/fields.ts';
import { problem } from '../control/operation.ts';
import { invalidField, invalidFields } from '../http/http-error.ts';
import { migrations } from '../program.ts';
import { replaceByContents } from '../seed/seed.ts';
import { findSnapshot, otherVersion, type Snapshot, storeSnapshot } from './snapshot.ts';
import { snapshotRecords } from './snapshot-records.ts';

const FORMAT = 'tillgraph-sandbox-snapshot';

/** Returns a snapshot as a file that another sandbox can import. */
export async function exportSnapshot(database: Queryable, name: string): Promise<string> {
  const { taken, version, ahead_ms, frozen, contents } = await findSnapshot(database, name);
  const head = { format: FORMAT, version, taken, clock: { aheadMs: ahead_ms, frozen } };
  // The records stay text, because only the database reads them.
  return `${JSON.stringify(head).slice(0, -1)},"records":${contents}}\n`;
}

const head = z.looseObject({ format: z.literal(FORMAT), version: z.int() });

const file = z.strictObject({
  ...head.shape,
  taken: time,
  clock: z.strictObject({
    aheadMs: z
      .int()
      .refine(
        (ms) => isTime(new Date(Date.now() + ms)),
        'The clock must read a time from the year 1970 to the year 8999',
      ),
    frozen: time.nullable(),
  }),
  records: snapshotRecords,
});

/**
 * Stores a snapshot from a file. Throws 409 if it is of another version, and 400 if its records
 * are not those of a sandbox. Nothing else is changed.
 */
export async function importSnapshot(tx: Queryable, name: string, text: string): Promise<Snapshot> {
  const json = parse(text);
  const { success, data } = head.safeParse(json);
  if (!success) {
    throw invalidField('body', `Must be a snapshot that this interface exported ("${FORMAT}")`);
  }
  if (data.version !== migrations.length) throw otherVersion(data.version);
  const { version, taken, clock, records } = check(json);
  // Not as it was sent: a name that comes twice could have been checked with another value.
  const contents = JSON.stringify(records);
  await tryContents(tx, contents);
  return storeSnapshot(tx, name, {
    ...{ version, taken: new Date(taken), contents, ahead_ms: clock.aheadMs },
    frozen: clock.frozen === null ? null : new Date(clock.frozen),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('body', 'Must be valid JSON');
  }
}

/** A file can have a mistake in every row. */
const MOST_ERRORS = 20;

function check(json: unknown): z.output<typeof file> {
  const { success, data, error } = file.safeParse(json, { error: problem });
  if (success) return data;
  throw invalidFields(
    error.issues.slice(0, MOST_ERRORS).map((issue) => {
      const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue.path;
      return { field: path.join('.'), message: issue.message };
    }),
  );
}

/**
 * Inserts the records once, and rolls that back: a file that does not fit is rejected when it is
 * imported, not when it is needed. Throws 400 for it.
 */
async function tryContents(tx: Queryable, contents: string): Promise<void> {
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
