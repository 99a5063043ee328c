import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

const PACKAGE = packageFile('package.json');

/** Reads the version of the package. */
export function readVersion(): string {
  return JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
}
