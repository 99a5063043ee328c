import { createRequire } from 'node:module';
import type { ProvidedContext } from 'vitest';
import type { TestProjectInlineConfiguration } from 'vitest/config';

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** How a folder of tests runs. */
export interface ProjectOptions
  extends Partial<Pick<ProvidedContext, 'database' | 'scale' | 'nodeFlags'>> {
  readonly include?: string[];
  readonly globalSetup?: string[];
  readonly setupFiles?: string[];
  readonly plugins?: NonNullable<TestProjectInlineConfiguration['plugins']>;
}

// As Node resolves it: Vite would prefer a second copy of the package, and graphql-js allows one only.
const graphql = createRequire(import.meta.url).resolve('graphql');
const resolve = { alias: [{ find: /^graphql$/, replacement: graphql }] };

/** Only for a test that never ends: no result may depend on how fast the machine is. */
const TIMEOUT_MS = 300_000;

/**
 * Processes that live for seconds do not repay what the optimizing compiler of WebAssembly
 * costs, which is a third of a start on PGlite, nor the garbage collections of a heap that grows
 * from a few megabytes. Without both, they do the same.
 */
export const QUICK_START = ['--liftoff-only', '--initial-heap-size=256'];

/** The tests in `test/<name>`, on PostgreSQL unless the options say otherwise. */
export function project(
  name: string,
  {
    database = 'PostgreSQL',
    scale = 1,
    nodeFlags = QUICK_START,
    plugins = [],
    ...options
  }: ProjectOptions = {},
  test: TestOptions = {},
): TestProjectInlineConfiguration {
  return {
    resolve,
    plugins,
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      provide: { database, scale, nodeFlags },
      execArgv: [...nodeFlags],
      testTimeout: TIMEOUT_MS,
      hookTimeout: TIMEOUT_MS,
      expect: { poll: { timeout: TIMEOUT_MS / 5 } },
      isolate: false,
      ...options,
      ...test,
    },
  };
}
