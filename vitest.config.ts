import { defineConfig } from 'vitest/config';
import { relayTags } from './test/consumer/relay-tags.ts';
import { project } from './test/support/project.ts';

const built = { globalSetup: ['test/support/build-setup.ts'] };

/** The everyday suite: `npm test`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts'],
    retry: 0,
    // What was transformed in an earlier run is read from node_modules, unless the file has changed.
    experimental: { fsModuleCache: true },
    // One more than the cores of a small machine: many tests wait for processes and databases.
    maxWorkers: 3,
    projects: [
      project('unit'),
      project('database'),
      // What the sandbox does with a request, on PostgreSQL, which is faster; in the long tests, on
      // PGlite, too. Every day, the tests of the control interface and of programs use PGlite.
      project('sandbox'),
      project('sandbox on PGlite', {
        database: 'PGlite',
        include: ['test/sandbox/storage.test.ts'],
      }),
      project('control'),
      project('gateway'),
      project('schema'),
      project('docs'),
      project('money', built),
      project('consumer', {
        globalSetup: ['test/consumer/install.ts', 'test/consumer/generate.ts'],
        include: ['test/consumer/*.test.ts'],
        plugins: [relayTags()],
      }),
      project('program', built),
      project('deploy', built, { exclude: ['test/deploy/image.test.ts'] }),
      project('telemetry', built),
      project('browser'),
      project('dashboard'),
      project('bench', built),
    ],
  },
});
