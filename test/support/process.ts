import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';

/** How a process ended, and its output. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process under test. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Waits until standard output matches. Rejects with the output if the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits in the same way until standard error matches. */
  reported(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and waits until the process ends. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Where a process runs, and with which environment variables. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Number of the user and group that it runs as; only root can choose them. */
  readonly user?: number | undefined;
}

/** Starts a process like {@link spawnProcess}; killed when the test ends. */
export function startProcess(
  command: string,
  args: readonly string[],
  surroundings?: Surroundings,
): Running {
  const running = spawnProcess(command, args, surroundings);
  onTestFinished(async () => {
    await running.stop('SIGKILL');
  });
  return running;
}

/**
 * Starts a process with PATH, HOME, the certificates of a proxy, and the given variables. The
 * caller has to stop it.
 */
export function spawnProcess(
  command: string,
  args: readonly string[],
  { cwd, env = {}, user }: Surroundings = {},
): Running {
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS } = process.env;
  const certificates = NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
    env: { PATH, HOME, ...certificates, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  const { stdout, stderr } = child;
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk;
  });
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk;
  });
  // Unlike `exit`, `close` comes after the last output.
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...text }));

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    child.kill(signal);
    return ended;
  }
  function watch(stream: Readable, read: () => string, pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      function look(): void {
        const found = pattern.exec(read());
        if (found === null) return;
        stream.off('data', look);
        resolve(found);
      }
      stream.on('data', look);
      look();
      void ended.then(({ code, signal }) =>
        reject(
          new Error(
            `It ended (${code ?? signal}) before it printed ${pattern}.\n${text.stdout}${text.stderr}`,
          ),
        ),
      );
    });
  }
  return {
    pid: child.pid ?? 0,
    ended,
    stop,
    printed: (pattern) => watch(stdout, () => text.stdout, pattern),
    reported: (pattern) => watch(stderr, () => text.stderr, pattern),
  };
}
