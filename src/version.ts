import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../package.json', import.meta.url);

/** Reads the version of the package. */
export function readVersion(): string {
  return JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
}
