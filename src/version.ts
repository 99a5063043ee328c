import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

const PACKAGE = packageFile('package.json');

/** Reads the version of the package. */
export function readVersion(): string {
  return JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
}

/**
 * What the gateway sends as `User-Agent` with every request of its own: some firewalls drop
 * requests without one, and the logs of a service show who has called it.
 */
export const USER_AGENT = `tillgraph/${readVersion()}`;
