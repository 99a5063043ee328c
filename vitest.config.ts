import { defineConfig } from 'vitest/config';
import { relayTags } from './test/consumer/relay-tags.ts';
import { useMemoryFolder } from './test/support/memory-folder.ts';
import { project } from './test/support/project.ts';
import { Sequencer } from './test/support/sequencer.ts';

useMemoryFolder();

/** The everyday suite: `npm test`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts'],
    retry: 0,
    // What was transformed in an earlier run is read from node_modules, unless the file has changed.
    fsModuleCache: true,
    // More than the cores of a small machine, because many tests wait for processes and databases.
    // Still more take longer, because each loads the program.
    maxWorkers: 4,
    sequence: { sequencer: Sequencer },
    projects: [
      // Files of one project share its processes, and each process loads the program once.
      // What the sandbox does with a request is tested on PostgreSQL, which is faster; in the long
      // tests, on PGlite, too. Every day, the tests of the control interface and of programs use PGlite.
      project(
        'tests',
        { include: ['test/**/*.test.ts'] },
        { exclude: ['test/long/**', 'test/consumer/**', 'test/deploy/image.test.ts'] },
      ),
      project('sandbox on PGlite', {
        database: 'PGlite',
        include: ['test/sandbox/storage.test.ts'],
      }),
      project('consumer', {
        globalSetup: ['test/consumer/prepare.ts'],
        setupFiles: ['test/consumer/ready.ts'],
        include: ['test/consumer/*.test.ts'],
        plugins: [relayTags()],
      }),
    ],
  },
});
