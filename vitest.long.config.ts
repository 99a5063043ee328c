import { defineConfig } from 'vitest/config';

/** Tests that take minutes: `npm run test:long`. */
export default defineConfig({
  // As in `vitest.config.ts`.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/long/**/*.test.ts'],
    provide: { database: 'PostgreSQL' },
    globalSetup: ['test/support/build-setup.ts', 'test/support/databases.ts'],
    retry: 0,
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
});
