import { randomUUID } from 'node:crypto';
import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Thrown when another running process uses the folder. */
export class FolderInUseError extends Error {
  /** The first sentence of the message, which names the process. */
  readonly holder: string;

  constructor(folder: string, owner: Owner) {
    const holder = `DATA_DIR ${folder} is in use by process ${owner.pid} on ${owner.host}.`;
    super(
      `${holder} Run one Tillgraph per DATA_DIR, or set DATABASE_URL (gateway) and ` +
        'SANDBOX_DATABASE_URL (sandbox) to use a PostgreSQL server.',
    );
    this.holder = holder;
  }
}

interface Owner {
  readonly token: string;
  readonly pid: number;
  /** When the process started, in the kernel's ticks: process ids are reused. */
  readonly started: string;
  readonly host: string;
  /** Changes with every start of the machine. */
  readonly boot: string;
  /** A process id means nothing outside of its namespace. */
  readonly namespace?: string;
}

/** A folder that belongs to this process. */
export interface FolderLock {
  /**
   * False if another process has taken the folder, for example while this one was suspended.
   * Cheap enough to be asked before each statement: the lock is read only if its file has changed.
   */
  isHeld(): boolean;
  /** Safe to call twice. */
  release(): void;
}

const TOUCH_MS = 5_000;
const ABANDONED_MS = 30_000;
const ATTEMPTS = 5;

/**
 * Takes a folder for this process, because two processes on one embedded database would
 * lose data without notice. Throws {@link FolderInUseError} while another process has it.
 * The lock of a process that is proven dead, on this machine, is taken over immediately.
 * Where that cannot be proven, a lock is taken over when it has not been touched for 30 seconds.
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, 'database.lock');
  const owner: Owner = {
    token: randomUUID(),
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    host: hostname(),
    boot: bootId(),
    namespace: processNamespace(),
  };
  const draft = `${file}.${owner.token}`;
  writeFileSync(draft, JSON.stringify(owner));
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        linkSync(draft, file); // atomic: fails if the lock exists
        return held(file, owner.token);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      const holder = readOwner(file);
      if (holder === undefined) continue;
      if (isAlive(holder, owner, file)) throw new FolderInUseError(folder, holder);
      removeStale(file, holder, owner.token);
    }
    throw new Error(`Could not lock ${folder}. Remove ${file} if no Tillgraph runs there.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function held(file: string, token: string): FolderLock {
  /** The file that was read and found to be the lock of this process. */
  let known: string | undefined;
  const isHeld = () => {
    const found = versionOf(file);
    if (found === known && found !== undefined) return true;
    if (readOwner(file)?.token !== token) return false;
    known = found;
    return true;
  };
  const touch = () => {
    if (!isHeld()) return;
    const now = new Date();
    utimesSync(file, now, now);
    // If another process has just taken the folder, this was its file.
    known = undefined;
  };
  const timer = setInterval(touch, TOUCH_MS).unref();
  return {
    isHeld,
    release: () => {
      clearInterval(timer);
      if (isHeld()) rmSync(file, { force: true });
    },
  };
}

/** Whoever takes the folder creates another file. Undefined if it cannot be found out. */
function versionOf(file: string): string | undefined {
  try {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}

/** Removes the lock of a dead process. Puts it back if another start has taken the folder by now. */
function removeStale(file: string, holder: Owner, token: string): void {
  const aside = `${file}.stale.${token}`;
  try {
    renameSync(file, aside);
    if (readOwner(aside)?.token !== holder.token) linkSync(aside, file);
  } catch {
    // Another start moved it first: the next attempt reads what is there now.
  } finally {
    rmSync(aside, { force: true });
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    // Written by lockFolder; a file with other content has no matching token and no live process.
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(holder: Owner, self: Owner, file: string): boolean {
  const foreign =
    holder.host !== self.host ||
    holder.boot !== self.boot ||
    (holder.namespace ?? self.namespace) !== self.namespace;
  // A process elsewhere cannot be proven dead from here, but it touches its lock while it runs.
  if (foreign) return Date.now() - touchedAt(file) < ABANDONED_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return startOf(holder.pid) === holder.started;
}

/** Node's system functions throw errors with a code. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function touchedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/**
 * When a process started. Empty if the system does not report it, so that the process id
 * alone decides. Undefined for a process that has ended but has not been collected yet.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return '';
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
