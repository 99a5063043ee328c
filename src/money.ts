import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOperator } from './gateway/open-operator.ts';
import { type Command, readCommand, USAGE } from './gateway/operation/operator/command.ts';
import { exitCodeOf } from './gateway/operation/operator/exit-code.ts';
import { OperatorError } from './gateway/operation/operator/operator-error.ts';
import { runCommand } from './gateway/operation/operator/run-command.ts';
import { askGateway } from './gateway/operation/operator/socket-client.ts';
import { PROTOCOL } from './gateway/operation/operator/socket-messages.ts';
import {
  GatewayStartsError,
  openForOperator,
} from './gateway/operation/store/open-for-operator.ts';
import type { OperatorStore } from './gateway/operation/store/operator-store.ts';
import { type OperatorSettings, readOperatorSettings } from './gateway/settings.ts';
import { loadEnvFile } from './settings/env-file.ts';
import { asksForHelp } from './settings/print-help.ts';
import { SettingsError } from './settings/read-settings.ts';

/** `tillgraph money`: shows money operations, and changes what only a person can decide. */
export async function money(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) return console.log(USAGE);
  try {
    const command = readCommand(args);
    loadEnvFile(process.env);
    await perform(command, args, readOperatorSettings(process.env));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = error instanceof SettingsError ? 2 : exitCodeOf(error);
  }
}

async function perform(
  command: Command,
  args: readonly string[],
  settings: OperatorSettings,
): Promise<void> {
  const { databaseUrl, dataDir, operatorKey, reconcileKey } = settings.money;
  const key = operatorKey ?? reconcileKey;
  const by = operatorName();
  const print = (text: string) => console.log(text);
  const stop = command.name === 'watch' ? stopSignal() : new AbortController().signal;
  const request = { protocol: PROTOCOL, args, by, ...(key === undefined ? {} : { key }) };
  const asksGateway = async () => {
    if (databaseUrl !== undefined) return false;
    if (await askGateway(dataDir, request, print, stop)) return true;
    if (command.name === 'watch') throw new OperatorError(NOT_RUNNING);
    return false;
  };
  const store = await openUnless(asksGateway, settings);
  if (store === undefined) return;
  try {
    const operator = createOperator(store, { ...settings, key, by });
    await runCommand(operator, command, print, stop).finally(operator.close);
  } finally {
    await store.close();
  }
}

/** A gateway that starts can be reached before. */
const START_MS = 10_000;

/** Opens the store, or returns undefined because a gateway has performed the command. */
async function openUnless(
  asksGateway: () => Promise<boolean>,
  { money }: OperatorSettings,
): Promise<OperatorStore | undefined> {
  for (const start = performance.now(); ; ) {
    if (await asksGateway()) return undefined;
    try {
      return await openForOperator(money);
    } catch (error) {
      if (!(error instanceof GatewayStartsError)) throw error;
      if (performance.now() - start > START_MS) {
        throw new Error(`${error.message} It is a gateway that does not answer. Try again.`);
      }
      await sleep(100);
    }
  }
}

const NOT_RUNNING =
  'No gateway runs on this DATA_DIR. With the embedded database, `watch` needs a running gateway.';

/** Aborted by Ctrl-C or SIGTERM. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
}

/** Name of the operator's account. A container may have no name for it. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
