import type { Queryable } from '../../database/database.ts';
import { invalidField } from '../http/http-error.ts';
import { migrations } from '../migrations/migrations.ts';
import {
  findSnapshot,
  otherVersion,
  restoreSnapshot,
  type Snapshot,
  storeSnapshot,
} from './snapshot.ts';

const FORMAT = 'tillgraph-sandbox-snapshot';

/** Returns a snapshot as a file that another sandbox can import. */
export async function exportSnapshot(database: Queryable, name: string): Promise<string> {
  const { taken, version, ahead_ms, frozen, contents } = await findSnapshot(database, name);
  const head = { format: FORMAT, version, taken, clock: { aheadMs: ahead_ms, frozen } };
  // The records stay text, because only the database reads them.
  return `${JSON.stringify(head).slice(0, -1)},"records":${contents}}\n`;
}

/**
 * Stores a snapshot from a file. Throws 409 if it is of another version, and 400 if its records do
 * not fit the tables.
 */
export async function importSnapshot(tx: Queryable, name: string, file: string): Promise<Snapshot> {
  const { version, taken, clock } = readHead(file);
  if (version !== migrations.length) throw otherVersion(version);
  const [records] = await tx.query<{ contents: string }>(
    `SELECT ($1::json -> 'records')::text AS contents`,
    [file],
  );
  const contents = records?.contents ?? '{}';
  const stored = await storeSnapshot(tx, name, { version, taken, ...clock, contents });
  await tryRecords(tx, name);
  return stored;
}

function readHead(file: string) {
  const parsed = parse(file);
  const { format, version, taken, clock } = parsed;
  if (format !== FORMAT || typeof version !== 'number' || typeof parsed.records !== 'object') {
    throw invalidField('body', `Must be a snapshot that this interface exported ("${FORMAT}")`);
  }
  const { aheadMs = 0, frozen = null } = (clock ?? {}) as Record<string, unknown>;
  const setting = { ahead_ms: Number(aheadMs), frozen: frozen === null ? null : toDate(frozen) };
  if (!Number.isSafeInteger(setting.ahead_ms))
    throw invalidField('clock.aheadMs', 'Must be an integer');
  return { version, taken: toDate(taken), clock: setting };
}

function parse(file: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(file);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed };
  } catch {
    // Reported below, like any other text that is not a snapshot.
  }
  throw invalidField('body', 'Must be valid JSON');
}

function toDate(value: unknown): Date {
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) throw invalidField('body', 'A time of the snapshot is invalid');
  return date;
}

/**
 * Inserts the records once, and rolls that back: a file that does not fit is rejected when it is
 * imported, not when it is needed.
 */
async function tryRecords(tx: Queryable, name: string): Promise<void> {
  await tx.query('SAVEPOINT try_records');
  let problem: string | undefined;
  try {
    await restoreSnapshot(tx, name);
  } catch (error) {
    problem = problemOf(error);
  }
  await tx.query('ROLLBACK TO SAVEPOINT try_records');
  if (problem !== undefined) throw invalidField('records', `Do not fit the tables: ${problem}`);
}

/** What PostgreSQL says about invalid data: its errors of the classes 22 and 23. */
function problemOf(error: unknown): string {
  const { code, message } = error as Error & { code?: unknown }; // both drivers throw such errors
  if (typeof code === 'string' && /^(21|22|23)/.test(code)) return message;
  throw error;
}
