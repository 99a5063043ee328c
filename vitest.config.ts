import { defineConfig } from 'vitest/config';
import { relayTags } from './test/consumer/relay-tags.ts';

const slow = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  globalSetup: ['test/support/template-setup.ts'],
};

export default defineConfig({
  // As Node resolves it: Vite would prefer a second copy of the package, and graphql-js allows one only.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    sequence: { shuffle: true },
    retry: 0,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'sandbox', include: ['test/sandbox/**/*.test.ts'], ...slow },
      },
      {
        extends: true,
        test: {
          name: 'sandbox on PostgreSQL',
          include: ['test/sandbox/**/*.test.ts'],
          globalSetup: ['test/support/postgres-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: 'gateway', include: ['test/gateway/**/*.test.ts'], ...slow },
      },
      { extends: true, test: { name: 'schema', include: ['test/schema/**/*.test.ts'], ...slow } },
      {
        extends: true,
        test: {
          name: 'money',
          include: ['test/money/**/*.test.ts'],
          ...slow,
          testTimeout: 60_000,
          globalSetup: [
            'test/support/build-setup.ts',
            ...slow.globalSetup,
            'test/support/postgres-setup.ts',
          ],
        },
      },
      {
        extends: true,
        plugins: [relayTags()],
        test: {
          name: 'consumer',
          include: ['test/consumer/*.test.ts'],
          ...slow,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: [
            'test/consumer/install.ts',
            'test/consumer/generate.ts',
            ...slow.globalSetup,
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'program',
          globalSetup: ['test/support/build-setup.ts'],
          include: ['test/program/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
