import { execFileSync } from 'node:child_process';

/** Every project loads this file again. */
const shared: typeof globalThis & { isCompiled?: true } = globalThis;

/** Compiles once, for tests that start the program as a user does. */
export function setup(): void {
  // `npm test` has compiled it before.
  if (shared.isCompiled || process.env.npm_lifecycle_event === 'test') return;
  shared.isCompiled = true;
  const compile = ['node_modules/tsx/dist/cli.mjs', 'src/compile.ts'];
  execFileSync(process.execPath, compile, { stdio: 'inherit' });
}
