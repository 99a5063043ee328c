import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type EnvironmentVariables, SettingsError } from './read-settings.ts';

const FILE = '.env';

/** A variable, whose value can span several lines in quotation marks, or any other line. */
const PARTS =
  /[^\S\n]*(?:export[^\S\n]+)?[A-Za-z_][\w.-]*[^\S\n]*=[^\S\n]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*\n?|[^\n]*\n|[^\n]+/g;
const VARIABLE = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=/;
const IGNORED = /^\s*(?:#[^\n]*)?\n?$/;

/**
 * The variables of the file `.env` in the working directory, if there is one. Throws an error if
 * the file cannot be read, or a {@link SettingsError} that reports each line that is not valid.
 */
export function readEnvFile(): EnvironmentVariables {
  return existsSync(FILE) ? parseEnvFile(readText()) : {};
}

function readText(): string {
  try {
    return readFileSync(FILE, 'utf8');
  } catch (cause) {
    throw new Error(`The file ${FILE} cannot be read.`, { cause });
  }
}

/**
 * Parses each variable separately, because `parseEnv` ignores lines without `=` in a whole file.
 */
export function parseEnvFile(text: string): EnvironmentVariables {
  const variables: Record<string, string | undefined> = {};
  const complaints: string[] = [];
  let line = 1;
  for (const [part] of withPlainLines(text).matchAll(PARTS)) {
    if (VARIABLE.test(part)) Object.assign(variables, parseEnv(`${part.trim()}\n`));
    else if (!IGNORED.test(part)) {
      // Does not show the line, which may be a secret.
      complaints.push(`Line ${line} of the file ${FILE} must be NAME=value, or begin with "#".`);
    }
    line += part.split('\n').length - 1;
  }
  if (complaints.length > 0) throw new SettingsError(complaints);
  return variables;
}

/** Removes a byte order mark, and converts all line endings to `\n`. */
function withPlainLines(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
}

/** Adds the variables of the file `.env` to the environment. Those that are already set take precedence. */
export function loadEnvFile(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(readEnvFile())) env[name] ??= value;
}
