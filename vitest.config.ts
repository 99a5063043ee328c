import { defineConfig } from 'vitest/config';
import { relayTags } from './test/consumer/relay-tags.ts';
import { project } from './test/support/project.ts';
import { Sequencer } from './test/support/sequencer.ts';

const built = { globalSetup: ['test/support/build-setup.ts'] };
const filesOf = (...folders: readonly string[]) =>
  folders.map((folder) => `test/${folder}/**/*.test.ts`);

/** The everyday suite: `npm test`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts'],
    retry: 0,
    // What was transformed in an earlier run is read from node_modules, unless the file has changed.
    experimental: { fsModuleCache: true },
    // More than the cores of a small machine: many tests wait for processes and databases.
    maxWorkers: 6,
    sequence: { sequencer: Sequencer },
    projects: [
      // Folders that share a project share its processes, and each process loads the program once.
      // What the sandbox does with a request is tested on PostgreSQL, which is faster; in the long
      // tests, on PGlite, too. Every day, the tests of the control interface and of programs use PGlite.
      project('in process', {
        include: filesOf('unit', 'database', 'sandbox', 'control', 'gateway', 'schema', 'docs'),
      }),
      project('sandbox on PGlite', {
        database: 'PGlite',
        include: ['test/sandbox/storage.test.ts'],
      }),
      project(
        'programs',
        {
          ...built,
          include: filesOf(
            'money',
            'program',
            'deploy',
            'telemetry',
            'bench',
            'browser',
            'dashboard',
          ),
        },
        { exclude: ['test/deploy/image.test.ts'] },
      ),
      project('consumer', {
        globalSetup: ['test/consumer/prepare.ts'],
        setupFiles: ['test/consumer/ready.ts'],
        include: ['test/consumer/*.test.ts'],
        plugins: [relayTags()],
      }),
    ],
  },
});
