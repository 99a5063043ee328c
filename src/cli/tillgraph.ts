import { userInfo } from 'node:os';
import {
  type Command,
  USAGE as MONEY_USAGE,
  readCommand,
} from '../gateway/money/commands/command.ts';
import { openForOperator } from '../gateway/money/commands/open-for-operator.ts';
import { OperatorError } from '../gateway/money/commands/operator.ts';
import { runCommand } from '../gateway/money/commands/run-command.ts';
import { type OperatorSettings, readOperatorSettings } from '../gateway/settings/settings.ts';
import { readVersion } from '../package-files.ts';
import { loadEnvFile } from '../settings/env-file.ts';
import { asksForHelp } from '../settings/print-help.ts';
import { SettingsError } from '../settings/read-settings.ts';
import { createOperator } from './open-operator.ts';
import { SYNC_USAGE, sync } from './sync.ts';
import { WEBHOOKS_USAGE, webhooks } from './webhooks.ts';

/** Runs a command. What the operator can correct ends with the exit code 2. */
async function run(
  args: readonly string[],
  usage: string,
  command: (args: readonly string[]) => Promise<void>,
): Promise<void> {
  if (asksForHelp(args)) return console.log(usage);
  try {
    await command(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    const canBeCorrected = error instanceof SettingsError || error instanceof OperatorError;
    process.exitCode = canBeCorrected ? 2 : 1;
  }
}

/** `tillgraph money`: shows money operations, and settles those that need a person's decision. */
async function money(args: readonly string[]): Promise<void> {
  const command = readCommand(args);
  loadEnvFile(process.env);
  await perform(command, readOperatorSettings(process.env));
}

async function perform(command: Command, settings: OperatorSettings): Promise<void> {
  const { databaseUrl, operatorKey, reconcileKey } = settings.money;
  const isWatch = command.name === 'watch';
  if (isWatch && databaseUrl === undefined) throw new OperatorError(NOTHING_TO_WATCH);
  const stop = isWatch ? stopSignal() : new AbortController().signal;
  const store = await openForOperator(settings.money);
  try {
    const key = operatorKey ?? reconcileKey;
    const operator = createOperator(store, { ...settings, key, by: operatorName() });
    const print = (text: string) => console.log(text);
    await runCommand(operator, command, print, stop).finally(operator.close);
  } finally {
    await store.close();
  }
}

const NOTHING_TO_WATCH =
  '`watch` needs DATABASE_URL. With the embedded database, commands work only while the gateway is stopped, and then nothing changes.';

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

const USAGE = `Usage: tillgraph <command>

  money      The operator's commands: shows and settles money operations.
             \`tillgraph money --help\` lists them.
  sync       Shows how far the lists of each merchant are copied, and copies one again.
  webhooks   Shows where events are sent and what was not accepted, and enables endpoints.
  --version  Prints the version.`;

function readStorage() {
  loadEnvFile(process.env);
  return readOperatorSettings(process.env).money;
}

function print(text: string): void {
  console.log(text);
}

/** The command `tillgraph`. */
const [name, ...args] = process.argv.slice(2);
if (name === 'money') {
  await run(args, MONEY_USAGE, money);
} else if (name === 'sync') {
  await run(args, SYNC_USAGE, (given) => sync(given, readStorage, print));
} else if (name === 'webhooks') {
  await run(args, WEBHOOKS_USAGE, (given) => webhooks(given, readStorage, print));
} else if (name === '--version') {
  console.log(readVersion());
} else if (name === '--help' || name === '-h') {
  console.log(USAGE);
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
