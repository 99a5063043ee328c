import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { EnvironmentVariables } from './read-settings.ts';

const FILE = '.env';

/** The variables of the file `.env` in the working directory, if there is one. Throws if it cannot be read. */
export function readEnvFile(): EnvironmentVariables {
  if (!existsSync(FILE)) return {};
  try {
    return parseEnv(readFileSync(FILE, 'utf8'));
  } catch (cause) {
    throw new Error(`The file ${FILE} cannot be read.`, { cause });
  }
}

/** Adds the variables of the file `.env` to the environment. Those that are already set take precedence. */
export function loadEnvFile(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(readEnvFile())) env[name] ??= value;
}
