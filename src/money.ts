import { readGatewayConfig } from './gateway/config.ts';
import { OperatorError, readCommand, runCommand } from './gateway/operation/operator.ts';
import { openForOperator, RecordError } from './gateway/operation/store/open-for-operator.ts';

/** `npm run money`: shows money operations, and settles those that only a person can. */
async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const command = readCommand(args);
  const { money } = readGatewayConfig(env);
  const store = await openForOperator(money);
  try {
    console.log(await runCommand(store, command));
  } finally {
    await store.close();
  }
}

main(process.argv.slice(2), process.env).catch((error: Error) => {
  console.error(error.message);
  const answered = error instanceof OperatorError || error instanceof RecordError;
  process.exitCode = answered ? 2 : 1;
});
