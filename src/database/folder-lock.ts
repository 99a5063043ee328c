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
import type { Program } from './program.ts';

/** Thrown when another living process holds the folder. */
export class FolderInUseError extends Error {
  /** The first half of the message: who holds it. */
  readonly holder: string;

  constructor(folder: string, owner: Owner, { name, urlSetting }: Program) {
    const holder = `DATA_DIR ${folder} is in use by process ${owner.pid} on ${owner.host}.`;
    super(`${holder} Run one ${name} per DATA_DIR, or set ${urlSetting} to share a PostgreSQL.`);
    this.holder = holder;
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
  /** Process ids mean nothing outside of their namespace. */
  readonly namespace?: string;
}

/** A folder that is taken. */
export interface FolderLock {
  /** Whether it still is: a process that was frozen for long may have lost it. */
  isHeld(): boolean;
  /** Safe to call twice. */
  release(): void;
}

const TOUCH_MS = 5_000;
const ABANDONED_MS = 30_000;

/**
 * Takes a folder for this process alone. Two processes on one embedded database would
 * silently lose data, so the second is refused. A lock is taken over at once when its
 * owner is provably dead on this very machine, and when nobody has touched it for half a minute where that
 * cannot be proven.
 */
export function lockFolder(folder: string, program: Program): FolderLock {
  const file = join(folder, `${program.name}.lock`);
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
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        linkSync(draft, file); // atomic: fails when the lock exists
        return held(file, owner.token);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readOwner(file);
      if (holder === undefined) continue;
      if (isAlive(holder, owner, file)) throw new FolderInUseError(folder, holder, program);
      removeStale(file, holder, owner.token);
    }
    throw new Error(`Could not lock ${folder}; remove ${file} if no ${program.name} runs there.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function held(file: string, token: string): FolderLock {
  const isHeld = () => readOwner(file)?.token === token;
  const touch = () => {
    const now = new Date();
    if (isHeld()) utimesSync(file, now, now);
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

function isAlive(holder: Owner, self: Owner, file: string): boolean {
  const foreign =
    holder.host !== self.host ||
    holder.boot !== self.boot ||
    (holder.namespace ?? self.namespace) !== self.namespace;
  // A process elsewhere cannot be proven dead from here; it touches its lock while it lives.
  if (foreign) return Date.now() - touchedAt(file) < ABANDONED_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(holder.pid) === holder.started;
}

function touchedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
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
