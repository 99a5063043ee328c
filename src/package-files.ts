import { readFileSync } from 'node:fs';

const HERE = import.meta.url;

/**
 * URL of a file in the package, such as `schema/operations/`. HTML, style sheets and browser
 * scripts are not compiled, so they are read from `src/`.
 */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, HERE);
}

/**
 * URL of a file of the program, such as `sandbox/settings`, for an import by name that the compiler
 * does not follow. The file is source code if the source is running.
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
 * The `User-Agent` of every request that the gateway sends: some firewalls drop requests without
 * one, and a service's logs show who called it.
 */
export const USER_AGENT = `tillgraph/${readVersion()}`;
