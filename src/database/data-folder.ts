import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type FolderLock, lockFolder } from './folder-lock.ts';

/** A DATA_DIR locked by this process. */
export interface DataFolder {
  /** Folder of the database. */
  readonly path: string;
  /** Whether the database must still be created. */
  readonly isNew: boolean;
  readonly lock: FolderLock;
  /** Call when the database was created: later starts then use it. */
  markComplete(): void;
}

const DATABASE = 'database';
/** Exists while the database is being created, so that an interrupted start is noticed. */
const INCOMPLETE = 'database.incomplete';
/** Database names of versions with a separate database for each program. */
const OLD_DATABASES = ['gateway', 'sandbox'];

/** Whether a DATA_DIR has a database. Rejects one with the layout of earlier versions. */
export function hasDatabase(dataDir: string): boolean {
  rejectOldLayout(dataDir);
  return isDatabase(join(dataDir, DATABASE)) && !existsSync(join(dataDir, INCOMPLETE));
}

/**
 * Takes a DATA_DIR for this process and creates it if needed. Throws if it cannot be
 * written, belongs to another process, or contains something else.
 */
export function openDataFolder(dataDir: string): DataFolder {
  makeFolder(dataDir);
  rejectOldLayout(dataDir);
  const lock = lockFolder(dataDir);
  const path = join(dataDir, DATABASE);
  const incomplete = join(dataDir, INCOMPLETE);
  try {
    if (existsSync(incomplete)) rmSync(path, { recursive: true, force: true });
    const isNew = !isDatabase(path);
    if (isNew) {
      rejectForeign(path);
      writeFileSync(incomplete, '');
    }
    makePrivate(path);
    return { path, isNew, lock, markComplete: () => rmSync(incomplete, { force: true }) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const isDatabase = (folder: string) => existsSync(join(folder, 'PG_VERSION'));

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException; // thrown by node:fs
    throw new Error(`DATA_DIR: ${resolve(dataDir)} cannot be written (${code}).`, { cause });
  }
}

/** Only for the user of this process. */
const PRIVATE = 0o700;

/** PostgreSQL's files are readable and writable for everyone who can enter their folder. */
function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  try {
    chmodSync(path, PRIVATE);
  } catch {
    // Some file systems have no modes.
  }
}

function rejectOldLayout(dataDir: string): void {
  const found = OLD_DATABASES.filter((name) => isDatabase(join(dataDir, name)));
  if (found.length === 0) return;
  throw new Error(
    `DATA_DIR ${resolve(dataDir)} contains data of an earlier version of Tillgraph: ` +
      `${found.join(', ')}. This version cannot read it. ` +
      'Move it elsewhere, or set DATA_DIR to another folder.',
  );
}

function rejectForeign(path: string): void {
  if (!existsSync(path) || readdirSync(path).length === 0) return;
  throw new Error(
    `${resolve(path)} exists but is not a database of Tillgraph. Set DATA_DIR to another folder.`,
  );
}
