import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Thrown when another running process uses the folder. */
export class FolderInUseError extends Error {
  /** The first sentence of the message, which names the process. */
  readonly holder: string;

  constructor(folder: string, owner: string) {
    const holder = `DATA_DIR ${folder} is in use by ${owner}.`;
    super(
      `${holder} Run one Tillgraph per DATA_DIR, or set DATABASE_URL (gateway) and ` +
        'SANDBOX_DATABASE_URL (sandbox) to use a PostgreSQL server.',
    );
    this.holder = holder;
  }
}

/** A folder that belongs to this process. */
export interface FolderLock {
  /** False if the folder was removed or replaced. Cheap enough to be asked before each statement. */
  isHeld(): boolean;
  /** Safe to call twice. */
  release(): void;
}

/** SQLite's codes for a file that another process has locked, and for one that is not its own. */
const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

/**
 * Takes a folder for this process, because two processes on one embedded database would
 * lose data without notice. Throws {@link FolderInUseError} while another process has it. The lock
 * is one of the kernel on a file, which SQLite takes: the kernel releases it when the process ends,
 * however it ends, and it works between containers.
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, 'database.lock');
  const holder = join(folder, 'database.holder');
  for (;;) {
    createFile(file);
    const inode = inodeOf(file);
    const lock = lockFile(file);
    if (lock === undefined) throw new FolderInUseError(folder, readHolder(holder));
    const isHeld = () => inodeOf(file) === inode;
    if (isHeld()) {
      writeFileSync(holder, `process ${process.pid} on ${hostname()}`);
      const release = () => {
        if (!lock.isOpen) return;
        for (const left of isHeld() ? [holder, file] : []) rmSync(left, { force: true });
        lock.close();
      };
      return { isHeld, release };
    }
    // Another process has just released the folder, and removed this file.
    lock.close();
  }
}

/**
 * Creates the file if it does not exist. It must not be opened otherwise: when a process closes a
 * file, the kernel releases every lock that the process has on it.
 */
function createFile(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Undefined if another process has locked the file. */
function lockFile(file: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    // Without a journal in a file of its own: nothing is written.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
    if (code === SQLITE_BUSY) return undefined;
    if (code !== SQLITE_NOTADB) throw error;
    throw new Error(
      `DATA_DIR: ${file} is not a lock of this version of Tillgraph. If no Tillgraph runs there, remove it.`,
      { cause: error },
    );
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'another process';
  }
}
