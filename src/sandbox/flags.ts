import { parseArgs } from 'node:util';
import type { EnvironmentVariables } from '../settings/read-settings.ts';
import { SettingsError } from '../settings/read-settings.ts';

/** The flags of the program, for its help. */
export const FLAGS = `Flags, which take precedence over the settings below:
  --port PORT          user records on this port, payments on the next one, then the
                       payment page; 0 picks free ports (default 2223)
  --host ADDRESS       address of payments and of the payment page (default 127.0.0.1)
  --control-port PORT  turns on the control interface
  --seed demo|empty    what a new sandbox contains (default demo)
  --data memory|DIR    where the records are stored (default DATA_DIR)
  --help               prints this`;

/** What the flags change: settings, or that nothing is stored. */
export interface Flags {
  readonly settings: EnvironmentVariables;
  readonly inMemory: boolean;
}

/** Reads the flags of the program. Throws a {@link SettingsError} for anything else. */
export function readFlags(args: readonly string[]): Flags {
  const { port, host, seed, data, 'control-port': controlPort } = parse(args);
  const inMemory = data === 'memory';
  const settings = {
    ...(port === undefined ? {} : portsFrom(port)),
    ...(host === undefined ? {} : { SANDBOX_HOST: host }),
    ...(controlPort === undefined ? {} : { SANDBOX_CONTROL_PORT: controlPort }),
    ...(seed === undefined ? {} : { SANDBOX_SEED: seed }),
    ...(data === undefined || inMemory ? {} : { DATA_DIR: data }),
    ...(data === undefined ? {} : { SANDBOX_DATABASE_URL: '' }),
  };
  return { settings, inMemory };
}

/** The flag that sets each setting. */
const flagOf: Readonly<Record<string, string>> = {
  SANDBOX_USERS_PORT: '--port',
  SANDBOX_PAYMENTS_PORT: '--port',
  SANDBOX_POS_PORT: '--port',
  SANDBOX_CONTROL_PORT: '--control-port',
  SANDBOX_HOST: '--host',
  SANDBOX_SEED: '--seed',
  DATA_DIR: '--data',
};

/** Names the flags that somebody used, where a message names their settings. */
export function nameFlags(message: string, args: readonly string[]): string {
  const isUsed = (flag: string) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  return message.replace(/\b[A-Z_]+\b/g, (name) => {
    const flag = flagOf[name];
    return flag !== undefined && isUsed(flag) ? flag : name;
  });
}

function parse(args: readonly string[]) {
  const flag = { type: 'string' } as const;
  const options = { port: flag, host: flag, seed: flag, data: flag, 'control-port': flag };
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    const { message } = error as Error; // thrown by parseArgs
    throw new SettingsError([`${message.replace(/\.?$/, '.')} \`--help\` lists the flags.`]);
  }
}

/** The settings of the services' ports, one after another. */
function portsFrom(port: string): EnvironmentVariables {
  const first = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(first >= 0 && first <= 65_533)) {
    throw new SettingsError([`--port must be an integer from 0 to 65533; it was "${port}".`]);
  }
  const nth = (offset: number) => String(first === 0 ? 0 : first + offset);
  return { SANDBOX_USERS_PORT: nth(0), SANDBOX_PAYMENTS_PORT: nth(1), SANDBOX_POS_PORT: nth(2) };
}
