import { execFileSync } from 'node:child_process';

/** Compiles once, for tests that start the program as a user does. */
export function setup(): void {
  const tsc = ['node_modules/typescript/bin/tsc', '--noCheck'];
  execFileSync(process.execPath, tsc, { stdio: 'inherit' });
}
