const PARENT_CHECK_MS = 250;

/** Why the program stops: a signal, or the end of the `npm start` that started it. */
export type Reason = 'SIGINT' | 'SIGTERM' | 'PARENT';

/** npm forwards the signal that the terminal also sends to this process. */
const SAME_SIGNAL_MS = 500;

/**
 * Stops the program on SIGINT or SIGTERM; a second signal ends it immediately. When `npm start`
 * itself is stopped, it ends only its shell; the program then gets another parent process and stops
 * too.
 *
 * @param kill called before it ends immediately
 */
export function onStop(
  env: NodeJS.ProcessEnv,
  stop: (reason: Reason) => Promise<void>,
  kill: () => void = () => {},
): void {
  let stoppedAt: number | undefined;
  const once = (reason: Reason) => {
    if (stoppedAt === undefined) {
      stoppedAt = performance.now();
      void stop(reason);
    } else if (reason !== 'PARENT' && performance.now() - stoppedAt > SAME_SIGNAL_MS) {
      kill();
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => once(signal));
  if (env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && once('PARENT'), PARENT_CHECK_MS).unref();
}

/** Closes what was started before, if the next step fails. */
export async function orClose<T>(
  step: Promise<T>,
  ...started: readonly ({ close(): Promise<void> } | undefined)[]
): Promise<T> {
  return step.catch(async (error) => {
    await Promise.all(started.map((one) => one?.close()));
    throw error;
  });
}
