import { readFileSync } from 'node:fs';

const HERE = import.meta.url;

/**
 * Address of a file of the package, such as `schema/operations/`. HTML, style sheets and browser
 * scripts are not compiled, so they are read from `src/`.
 */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, HERE);
}

/**
 * Address of a file of the program, such as `sandbox/settings`, to import it by its name: the
 * compiler does not follow it. It is the source when a tool runs the source.
 */
export function programFile(name: string): string {
  return new URL(name + HERE.slice(HERE.lastIndexOf('.')), HERE).href;
}

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
