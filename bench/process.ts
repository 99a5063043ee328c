import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Where a process runs: on the core of contestants, or on that of everything else. */
export type Place = keyof typeof CORES;

const CORES = { contestant: '0', rest: '1' };

/** A child process with a server. */
export interface Child {
  readonly url: string;
  readonly pid: number;
  /** Stops it gracefully. Rejects if it had ended before. */
  stop(): Promise<void>;
}

/** What to start. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly place: Place;
  /** What its output looks like when it is ready; the first group is the URL. */
  readonly ready?: RegExp;
  readonly cwd?: string;
}

const READY = /listening on (\S+)/;
const START_MS = 60_000;
const STOP_MS = 15_000;
/** What runs, to be killed if the benchmark is stopped. */
const running = new Set<ChildProcess>();

/** Whether processes can be bound to cores. */
export const isPinned =
  cpus().length > 1 && spawnSync('taskset', ['--version']).error === undefined;

/** Whether a program is installed. */
export function isInstalled(command: string): boolean {
  return spawnSync('which', [command]).status === 0;
}

/** The words that bind a command to the cores of its place. */
export function pinned(place: Place, words: readonly string[]): readonly string[] {
  return isPinned ? ['taskset', '-c', CORES[place], ...words] : words;
}

/** Starts a program and waits until it is ready. */
export async function startChild(program: Program): Promise<Child> {
  const { command, args, env = {}, place, ready = READY, cwd } = program;
  const [file = command, ...words] = pinned(place, [command, ...args]);
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(file, words, {
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  running.add(child);
  let output = '';
  const ended = once(child, 'close').finally(() => running.delete(child));
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const url = await new Promise<string>((resolve, reject) => {
    const look = (chunk: string) => {
      output = (output + chunk).slice(-10_000);
      const found = ready.exec(output);
      if (found !== null) resolve(found[1] ?? '');
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    const words = [command, ...args].join(' ');
    void ended.then(() => reject(new Error(`${words} did not start:\n${output}`)));
  }).finally(() => clearTimeout(late));
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${[command, ...args].join(' ')} had ended:\n${output}`);
      }
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

const MICROS_PER_TICK = 10_000;

/** CPU time that a process and its threads have used, in microseconds. 0 where it is not known. */
export function cpuMicros(pid: number): number {
  const text = readProc(pid, 'stat');
  // The name of the program, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MICROS_PER_TICK;
}

/** The same of a process and of those that it has started. */
export function cpuMicrosOfAll(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMicros(child), cpuMicros(pid));
}

/** Binds each process that a process has started to a core of its own, where that is possible. */
export function bindChildren(pid: number, cores: readonly Place[]): void {
  if (!isPinned) return;
  const children = childrenOf(pid);
  if (children.length !== cores.length) throw new Error(`There are ${children.length} children.`);
  for (const [index, core] of cores.entries()) {
    spawnSync('taskset', ['-acp', CORES[core], String(children[index])]);
  }
}

function childrenOf(pid: number): number[] {
  return readProc(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
}

/** Peak of the resident memory of a process, in megabytes. 0 where it is not known. */
export function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024;
}

/** Resident memory of a process, in megabytes. 0 where it is not known. */
export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Binds this process, and what it starts from now on, to the core of everything but contestants. */
export function pinSelf(): void {
  if (isPinned) spawnSync('taskset', ['-acp', CORES.rest, String(process.pid)]);
}

/** Ends everything that was started, at once. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}
