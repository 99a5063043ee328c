import { execFileSync } from 'node:child_process';

/** Compiles once, for tests that start the program as a user does. */
export function setup(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc'], { stdio: 'inherit' });
}
