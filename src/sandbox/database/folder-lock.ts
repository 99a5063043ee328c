import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Thrown when another living process holds the folder. */
class FolderInUseError extends Error {
  constructor(folder: string, owner: Owner) {
    super(
      `DATA_DIR ${folder} is in use by process ${owner.pid} on ${owner.host}. ` +
        'Run one sandbox per DATA_DIR, or set SANDBOX_DATABASE_URL to share a PostgreSQL.',
    );
  }
}

interface Owner {
  readonly token: string;
  readonly pid: number;
  /** When the process started, in the kernel's ticks: a process id may be given again. */
  readonly started: string;
  readonly host: string;
  /** Changes with every start of the machine. */
  readonly boot: string;
}

/** Lets go of a folder; safe to call twice. */
export type ReleaseFolder = () => void;

/**
 * Takes a folder for this process alone. Two processes on one embedded database
 * would silently lose data, so the second is refused. A lock whose owner is
 * provably dead is taken over at once, so a crash costs nothing at the next start.
 */
export function lockFolder(folder: string): ReleaseFolder {
  const file = join(folder, 'sandbox.lock');
  const owner: Owner = {
    token: randomUUID(),
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    host: hostname(),
    boot: bootId(),
  };
  const draft = `${file}.${owner.token}`;
  writeFileSync(draft, JSON.stringify(owner));
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        linkSync(draft, file); // atomic: fails when the lock exists
        return () => {
          if (readOwner(file)?.token === owner.token) rmSync(file, { force: true });
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readOwner(file);
      if (holder === undefined) continue;
      if (isAlive(holder, owner)) throw new FolderInUseError(folder, holder);
      removeStale(file, holder, owner.token);
    }
    throw new Error(`Could not lock ${folder}; remove ${file} if no sandbox runs there.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Moves a dead owner's lock away; puts it back if another start was faster and it is theirs. */
function removeStale(file: string, holder: Owner, token: string): void {
  const aside = `${file}.stale.${token}`;
  try {
    renameSync(file, aside);
    if (readOwner(aside)?.token !== holder.token) linkSync(aside, file);
  } catch {
    // Somebody else moved it first: the next attempt sees what is there now.
  } finally {
    rmSync(aside, { force: true });
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(holder: Owner, self: Owner): boolean {
  if (holder.host !== self.host) return true; // cannot be proven dead from here
  if (holder.boot !== self.boot) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(holder.pid) === holder.started;
}

/**
 * When a process started. Empty where the system does not tell, so that the process id
 * alone decides; of a process that has ended and only waits to be collected, nothing.
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

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
