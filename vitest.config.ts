import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { relayTags } from './test/consumer/relay-tags.ts';

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

// As Node resolves it: Vite would prefer a second copy of the package, and graphql-js allows one only.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

/** A folder of tests, on PostgreSQL unless it says otherwise; the PGlite of users is in `sandbox` and `program`. */
function project(
  name: string,
  options: TestOptions = {},
  rest: Omit<TestProjectInlineConfiguration, 'test'> = {},
): TestProjectInlineConfiguration {
  return {
    ...rest,
    resolve,
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      provide: { database: 'PostgreSQL' },
      testTimeout: 30_000,
      hookTimeout: 60_000,
      isolate: false,
      sequence: { shuffle: true },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts'],
    retry: 0,
    maxWorkers: 2,
    projects: [
      project('unit'),
      project('database'),
      project('sandbox', { provide: { database: 'PGlite' } }),
      project('sandbox on PostgreSQL', { include: ['test/sandbox/**/*.test.ts'] }),
      project('gateway'),
      project('schema'),
      project('docs'),
      project('money', {
        testTimeout: 300_000,
        hookTimeout: 300_000,
        globalSetup: ['test/support/build-setup.ts'],
      }),
      project(
        'consumer',
        {
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['test/consumer/install.ts', 'test/consumer/generate.ts'],
          include: ['test/consumer/*.test.ts'],
        },
        { plugins: [relayTags()] },
      ),
      project('program', {
        testTimeout: 120_000,
        globalSetup: ['test/support/build-setup.ts'],
      }),
      project('browser', { testTimeout: 60_000 }),
    ],
  },
});
