import { loadEnvFile } from '../settings/env-file.ts';
import { asksForHelp, printHelp, rejectArguments } from '../settings/print-help.ts';
import { SettingsError } from '../settings/read-settings.ts';
import { readSandboxSettings, sandboxGroups } from './settings.ts';

/** Runs `npm run sandbox`: both services and the payment page, without the gateway. */
async function main(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) {
    const purpose = 'Starts the sandbox without the gateway.';
    return console.log(printHelp('npm run sandbox', purpose, sandboxGroups));
  }
  rejectArguments('npm run sandbox', args);
  loadEnvFile();
  const settings = readSandboxSettings(process.env);
  // Loaded after the settings were read, so that mistakes in these are reported soon.
  const { startSandbox } = await import('./sandbox.ts');
  const sandbox = await startSandbox({
    ...settings,
    report: (message) => console.log(message),
    log: ({ service, method, path, status, durationMs, requestId }) =>
      console.log(`${service} ${method} ${path} ${status} ${durationMs}ms ${requestId}`),
  });
  // Before the addresses are printed, because a caller that waits for them may stop the program.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
  }
  console.log(`User records   ${sandbox.usersUrl}
Payments       ${sandbox.paymentsUrl}
Payment page   ${sandbox.posUrl}
Demo key       ${sandbox.demoApp.key}
Try            curl -u :${sandbox.demoApp.key} ${sandbox.paymentsUrl}/me
`);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exit(error instanceof SettingsError ? 2 : 1);
});
