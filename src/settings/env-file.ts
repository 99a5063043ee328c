import { existsSync } from 'node:fs';

const FILE = '.env';

/**
 * Adds the variables of the file `.env` in the working directory, if there is one, to the
 * environment. Variables that are already set take precedence. Throws if the file cannot be read.
 */
export function loadEnvFile(): void {
  // Node reports an unreadable file like a missing one, so its error cannot tell them apart.
  if (!existsSync(FILE)) return;
  try {
    process.loadEnvFile(FILE);
  } catch (cause) {
    throw new Error(`The file ${FILE} cannot be read.`, { cause });
  }
}
