import { createLog } from './gateway/log.ts';
import type { GatewaySettings } from './gateway/settings.ts';
import { readEnvFile } from './settings/env-file.ts';
import type { EnvironmentVariables } from './settings/read-settings.ts';
import { printStart } from './startup-output.ts';
import { onStop } from './stop-signals.ts';
import { startPrimary } from './workers/primary.ts';
import { StartError } from './workers/supervisor.ts';

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
  const options = { settings, variables: file.current, report: warn, onBug: bug };
  const primary = await startPrimary(options).catch((error) => {
    // The worker has written why.
    if (error instanceof StartError) process.exit(error.exitCode);
    throw error;
  });
  process.on('SIGHUP', () => {
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
      await primary.stop(reason === 'SIGTERM' ? reason : 'SIGINT');
      process.exit(0);
    },
    primary.kill,
  );
  printStart(primary.started);
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
