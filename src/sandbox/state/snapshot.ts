import type { Queryable } from '../../database/database.ts';
import { httpError } from '../http/http-error.ts';
import { migrations } from '../program.ts';
import { replaceByContents } from '../seed/seed.ts';
import { raiseSequences, readContents } from './contents.ts';
import { type ClockSetting, readControlState } from './sandbox-clock.ts';

/** A stored copy of all records and of the clock. */
export interface Snapshot {
  readonly name: string;
  readonly taken: Date;
  /** Of its contents, as text. */
  readonly bytes: number;
}

/** A snapshot with its contents: the rows of every table as JSON. */
export interface StoredSnapshot extends ClockSetting {
  readonly taken: Date;
  readonly version: number;
  readonly contents: string;
}

/** Without the demo data, which the first start stores. */
const OF_USERS = `name !~ '^#'`;
const COLUMNS = 'name, taken, octet_length(contents::text) AS bytes';

/** Lists the snapshots by name. */
export function listSnapshots(database: Queryable): Promise<Snapshot[]> {
  return database.query(`SELECT ${COLUMNS} FROM snapshot WHERE ${OF_USERS} ORDER BY name`);
}

/** Takes a snapshot. It replaces one of the same name. */
export async function takeSnapshot(tx: Queryable, name: string): Promise<Snapshot> {
  const { ahead_ms, frozen } = await readControlState(tx);
  return storeSnapshot(tx, name, {
    taken: new Date(),
    version: migrations.length,
    ahead_ms,
    frozen,
    contents: await readContents(tx),
  });
}

/** Stores a snapshot. It replaces one of the same name. */
export async function storeSnapshot(
  tx: Queryable,
  name: string,
  { taken, version, ahead_ms, frozen, contents }: StoredSnapshot,
): Promise<Snapshot> {
  const [stored] = await tx.query<Snapshot>(
    `INSERT INTO snapshot (name, taken, version, ahead_ms, frozen, contents)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (name) DO UPDATE SET taken = excluded.taken, version = excluded.version,
        ahead_ms = excluded.ahead_ms, frozen = excluded.frozen, contents = excluded.contents
      RETURNING ${COLUMNS}`,
    [name, taken, version, ahead_ms, frozen, contents],
  );
  if (stored === undefined) throw new Error('The snapshot was not stored.');
  return stored;
}

/** Deletes a snapshot. Throws 404 if there is none of this name. */
export async function deleteSnapshot(database: Queryable, name: string): Promise<void> {
  const deleted = await database.query(
    `DELETE FROM snapshot WHERE name = $1 AND ${OF_USERS} RETURNING 1`,
    [name],
  );
  if (deleted.length === 0) throw noSuchSnapshot(name);
}

/** Replaces all records by those of a snapshot, and returns its clock. Throws 404 without it. */
export async function restoreSnapshot(tx: Queryable, name: string): Promise<ClockSetting> {
  const snapshot = await findSnapshot(tx, name);
  if (snapshot.version !== migrations.length) throw otherVersion(snapshot.version);
  await replaceByContents(tx, snapshot.contents);
  await raiseSequences(tx);
  return snapshot;
}

/** Returns a snapshot. Throws 404 if there is none of this name. */
export async function findSnapshot(tx: Queryable, name: string): Promise<StoredSnapshot> {
  const [found] = await tx.query<StoredSnapshot>(
    `SELECT taken, version, ahead_ms, frozen, contents::text AS contents FROM snapshot
      WHERE name = $1 AND ${OF_USERS}`,
    [name],
  );
  if (found === undefined) throw noSuchSnapshot(name);
  return found;
}

const noSuchSnapshot = (name: string) => httpError(404, `There is no snapshot "${name}"`);

/** The tables of a snapshot are not those of this version. */
export function otherVersion(found: number) {
  return httpError(
    409,
    `The snapshot has version ${found} of the tables, but this sandbox uses version ${migrations.length}. Take it again with this version.`,
  );
}
