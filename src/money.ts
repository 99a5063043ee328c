import { FolderInUseError } from './database/folder-lock.ts';
import { describeStorage } from './database/open.ts';
import { readGatewayConfig } from './gateway/config.ts';
import { OperatorError, readCommand, runCommand } from './gateway/operation/operator.ts';
import { hasRecord, openStore, type StoreOptions } from './gateway/operation/store/open-store.ts';
import type { OperationStore } from './gateway/operation/store/operation-store.ts';

/** `npm run money`: shows money operations, and settles those that only a person can. */
async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const command = readCommand(args);
  const { money } = readGatewayConfig(env);
  const store = await openRecord(money);
  try {
    console.log(await runCommand(store, command));
  } finally {
    await store.close();
  }
}

/** Opens the record that a gateway has made; never makes one. */
async function openRecord(options: StoreOptions): Promise<OperationStore> {
  if (!hasRecord(options)) {
    throw new OperatorError(
      `There is no record of money operations in ${describeStorage(options)}. Set DATA_DIR or DATABASE_URL as the gateway has it.`,
    );
  }
  try {
    return await openStore(options);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new OperatorError(`${error.holder} Stop that gateway first.`);
  }
}

main(process.argv.slice(2), process.env).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = error instanceof OperatorError ? 2 : 1;
});
