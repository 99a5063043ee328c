import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { isTime, time } from '../control/fields.ts';
import { problem } from '../control/problem.ts';
import { invalidField, invalidFields } from '../http/http-error.ts';
import { migrations } from '../migrations/migrations.ts';
import { findSnapshot, otherVersion, type Snapshot, storeSnapshot } from './snapshot.ts';
import { tryContents } from './snapshot-check.ts';
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
