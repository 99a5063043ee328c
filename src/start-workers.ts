import { createLog } from './gateway/log.ts';
import type { GatewaySettings } from './gateway/settings.ts';
import { printStart } from './startup-output.ts';
import { onStop } from './stop-signals.ts';
import { startPrimary } from './workers/primary.ts';
import { StartError } from './workers/supervisor.ts';

/**
 * Starts a gateway that consists of several workers, and keeps them running.
 *
 * @param env the environment of the workers
 * @param given the names of its variables that are not from the file `.env`
 */
export async function startWorkers(
  env: NodeJS.ProcessEnv,
  given: ReadonlySet<string>,
  settings: GatewaySettings,
): Promise<void> {
  // A worker reads the file itself, so that one that is started later sees its changes.
  for (const name of Object.keys(env)) if (!given.has(name)) delete env[name];
  const { warn, bug } = createLog(settings.log.level ?? 'info');
  const primary = await startPrimary({ settings, report: warn, onBug: bug }).catch((error) => {
    // The worker has written why.
    if (error instanceof StartError) process.exit(error.exitCode);
    throw error;
  });
  process.on('SIGHUP', () => void primary.restart());
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
