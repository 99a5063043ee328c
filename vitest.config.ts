import { defineConfig } from 'vitest/config';
import { relayTags } from './test/consumer/relay-tags.ts';
import { project } from './test/support/project.ts';

const built = { globalSetup: ['test/support/build-setup.ts'] };

/**
 * Files that test what the sandbox does with a request, whatever the database: every day they run
 * on PostgreSQL alone, which is faster, and in the long tests on PGlite, too.
 */
const onPostgresAlone = [
  ...['access', 'apps', 'cards', 'contract', 'disputes-and-fraud-alerts', 'fuzz', 'http-rules'],
  ...['invitations', 'ledger-model', 'lines', 'list-requests', 'members', 'merchant-apps'],
  ...['missing-fields', 'openapi', 'payment-link', 'payment-page', 'payment-page-openapi'],
  ...['payment-screens', 'request-bodies', 'test-cards'],
].map((name) => `test/sandbox/${name}.test.ts`);

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
      project('sandbox', { database: 'PGlite' }, { exclude: onPostgresAlone }),
      project('sandbox on PostgreSQL', { include: ['test/sandbox/**/*.test.ts'] }),
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
      project('deploy', built),
      project('telemetry', built),
      project('browser'),
      project('dashboard'),
      project('bench', built),
    ],
  },
});
