import { OperatorError, readCommand, runCommand } from './gateway/operation/operator.ts';
import { openForOperator, RecordError } from './gateway/operation/store/open-for-operator.ts';
import { readGatewaySettings } from './gateway/settings.ts';
import { loadEnvFile } from './settings/env-file.ts';
import { SettingsError } from './settings/read-settings.ts';

/** `npm run money`: shows money operations, and settles those that only a person can. */
async function main(args: readonly string[]): Promise<void> {
  const command = readCommand(args);
  loadEnvFile();
  const { money } = readGatewaySettings(process.env);
  const store = await openForOperator(money);
  try {
    console.log(await runCommand(store, command));
  } finally {
    await store.close();
  }
}

/** Errors that the operator can correct. */
const CORRECTABLE = [OperatorError, RecordError, SettingsError];

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = CORRECTABLE.some((type) => error instanceof type) ? 2 : 1;
});
