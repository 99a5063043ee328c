import { createLog } from './gateway/log.ts';
import { DRAIN_DELAY_MS, type GatewaySettings } from './gateway/settings.ts';
import { readEnvFile } from './settings/env-file.ts';
import type { EnvironmentVariables } from './settings/read-settings.ts';
import { printStart } from './startup-output.ts';
import { onStop } from './stop-signals.ts';
import { openPrimary } from './workers/primary.ts';
import { StartError } from './workers/supervisor.ts';

/** How long a worker may need to close after its requests and writes have ended. */
const CLOSE_WITHIN_MS = 10_000;

/**
 * Starts a gateway that consists of several workers, and keeps them running.
 *
 * @param env the environment of this process, and so of the workers
 * @param own the names of its variables that are not from the file `.env`
 */
export async function startWorkers(
  env: NodeJS.ProcessEnv,
  own: ReadonlySet<string>,
  settings: GatewaySettings,
): Promise<void> {
  const { warn, bug } = createLog(settings.log.level ?? 'info');
  const file = takeFromFile(env, own);
  const { drain, limits } = settings;
  const primary = await openPrimary({
    settings,
    endWithinMs: (drain.delayMs ?? DRAIN_DELAY_MS) + drain.maxMs + limits.writeMs + CLOSE_WITHIN_MS,
    variables: file.current,
    report: warn,
    onBug: bug,
  });
  let isStarted = false;
  let isStopping = false;
  process.on('SIGHUP', () => {
    if (!isStarted) return;
    try {
      file.read();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return warn(`${error.message} The workers are not replaced.`);
    }
    void primary.restart().then(file.keep);
  });
  onStop(
    env,
    async (reason) => {
      isStopping = true;
      await primary.stop(reason === 'SIGTERM' ? reason : 'SIGINT');
      process.exit(0);
    },
    primary.kill,
  );
  try {
    const started = await primary.start();
    isStarted = true;
    if (!isStopping) printStart(started);
  } catch (error) {
    if (isStopping) return;
    // The worker has written why.
    if (error instanceof StartError) process.exit(error.exitCode);
    throw error;
  }
}

/**
 * Takes the variables of the file `.env` out of the environment. Workers get those with which
 * the last restart succeeded, so one that takes the place of another has the same settings.
 */
function takeFromFile(env: NodeJS.ProcessEnv, own: ReadonlySet<string>) {
  const isFromFile = ([name]: readonly [string, unknown]) => !own.has(name);
  let kept: EnvironmentVariables = Object.fromEntries(Object.entries(env).filter(isFromFile));
  let current = kept;
  for (const name of Object.keys(kept)) delete env[name];
  return {
    current: () => current,
    /** Reads the file again. */
    read: () => {
      current = Object.fromEntries(Object.entries(readEnvFile()).filter(isFromFile));
    },
    /** Keeps what was read, or goes back to what was read before. */
    keep: (isGood: boolean) => {
      if (isGood) kept = current;
      else current = kept;
    },
  };
}
