import { FolderInUseError } from '../database/folder-lock.ts';
import { loadEnvFile } from '../settings/env-file.ts';
import { asksForHelp, printHelp } from '../settings/print-help.ts';
import { SettingsError } from '../settings/read-settings.ts';
import { FLAGS, nameFlags, readFlags } from './flags.ts';
import { printRequest } from './http/request-log.ts';
import { readSandboxSettings, sandboxGroups } from './settings.ts';

/**
 * Runs `npm run sandbox` and `tillgraph-sandbox`: both services and the payment page, without the
 * gateway.
 */
async function main(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const purpose = 'Starts the sandbox without the gateway.';
    const help = printHelp('tillgraph-sandbox [flags]', purpose, sandboxGroups);
    return console.log(help.replace('\n\n', `\n\n${FLAGS}\n\n`));
  }
  const flags = readFlags(args);
  loadEnvFile(process.env);
  const { dataDir, ...settings } = readSandboxSettings({ ...process.env, ...flags.settings });
  // Loaded after the settings were read, so that mistakes in these are reported soon.
  const { startSandbox } = await import('./sandbox.ts');
  const sandbox = await startSandbox({
    ...settings,
    hasFlags: true,
    ...(flags.inMemory ? {} : { dataDir }),
    report: (message) => console.log(message),
    onNewDatabase: () => console.log('Preparing the database. This takes some seconds, once.'),
    log: printRequest,
  });
  // Before the addresses are printed, because a caller that waits for them may stop the program.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
  }
  const { usersUrl, paymentsUrl, posUrl, controlUrl, demoApp, clockDifference } = sandbox;
  const clock = clockDifference === undefined ? '' : `Clock          ${clockDifference}\n`;
  console.log(`User records   ${usersUrl}
Payments       ${paymentsUrl}
Payment page   ${posUrl}
Pay            ${sandbox.paymentLink ?? '- (there is no merchant)'}
Control        ${controlUrl ?? '- (set --control-port to turn it on)'}
Demo key       ${demoApp.key}
Try            curl -u :${demoApp.key} ${paymentsUrl}/me
Data           ${sandbox.storage}
${clock}`);
}

const args = process.argv.slice(2);
main(args).catch((error) => {
  const isInUse = error instanceof FolderInUseError;
  const advice = isInUse ? ' For a sandbox that keeps nothing, use `--data memory`.' : '';
  console.error(nameFlags(error.message, args) + advice);
  process.exit(error instanceof SettingsError ? 2 : 1);
});
