import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { migrations } from '../program.ts';
import { deleteChanges } from '../state/as-of.ts';
import { deleteRecords, insertContents, raiseSequences, readContents } from '../state/contents.ts';
import { changeDemoKey, type DemoApp, demoAppOf, requireDemoApp } from './demo-app.ts';
import { insertDemoApp, insertDemoData } from './demo-data.ts';

const SEED_LOCK = 7_112_003;

/** What a new sandbox contains: the demo data, or only the demo app. */
export type Seed = 'demo' | 'empty';

/**
 * Inserts the first records into an empty database, in one database transaction, and returns the
 * demo app. They are the same in every run, except for the keys of apps.
 *
 * @param key replaces the stored key of the demo app. Without it, the first call creates a key.
 */
export function seed(environment: Environment, wanted: Seed, key?: string): Promise<DemoApp> {
  return environment.database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
    const stored = await demoAppOf(tx);
    if (stored === undefined) {
      return insertSeed(environment, tx, wanted, key ?? environment.uuid());
    }
    return key === undefined ? stored : changeDemoKey(tx, key);
  });
}

/** Deletes all records and inserts those of a new sandbox. The demo app keeps its key. */
export async function replaceBySeed(
  environment: Environment,
  tx: Queryable,
  wanted: Seed,
): Promise<void> {
  const { key } = await requireDemoApp(tx);
  await deleteRecords(tx);
  await insertSeed(environment, tx, wanted, key);
  await deleteChanges(tx);
}

/**
 * Deletes all records and inserts others. The demo app keeps its key. The sequences stay as they
 * are: see {@link raiseSequences}.
 */
export async function replaceByContents(tx: Queryable, contents: string): Promise<void> {
  const { key } = await requireDemoApp(tx);
  await deleteRecords(tx);
  await insertContents(tx, contents);
  await changeDemoKey(tx, key);
  await deleteChanges(tx);
}

/** The demo data as JSON, once this process has inserted it: to insert it again is faster. */
let demoContents: string | undefined;

async function insertSeed(
  environment: Environment,
  tx: Queryable,
  wanted: Seed,
  key: string,
): Promise<DemoApp> {
  if (wanted === 'demo') {
    demoContents ??= await storedDemoContents(tx);
    if (demoContents !== undefined) {
      await insertContents(tx, demoContents);
      await raiseSequences(tx);
      return changeDemoKey(tx, key);
    }
  }
  if (wanted === 'empty') {
    await insertDemoApp(environment, tx, key);
  } else {
    await insertDemoData(environment, tx, key);
    demoContents = await readContents(tx);
    await storeDemoContents(tx, demoContents);
  }
  await raiseSequences(tx);
  return requireDemoApp(tx);
}

/** The snapshot that holds the demo data. Names of other snapshots have no such character. */
const NAME = '#demo';

/** Returns the demo data that the first start stored, if this version of the tables did. */
async function storedDemoContents(tx: Queryable): Promise<string | undefined> {
  const [stored] = await tx.query<{ contents: string }>(
    'SELECT contents::text AS contents FROM snapshot WHERE name = $1 AND version = $2',
    [NAME, migrations.length],
  );
  return stored?.contents;
}

/** Stores the demo data, so that a reset is also fast after a restart. */
async function storeDemoContents(tx: Queryable, contents: string): Promise<void> {
  await tx.query(
    `INSERT INTO snapshot (name, taken, version, ahead_ms, contents) VALUES ($1, now(), $2, 0, $3)
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, contents = excluded.contents`,
    [NAME, migrations.length, contents],
  );
}
