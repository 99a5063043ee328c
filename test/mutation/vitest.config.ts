import { defineConfig } from 'vitest/config';

/** The tests that Stryker runs: no database, no server, no child process. */
export default defineConfig({
  test: {
    include: [
      'test/money/conservation-guard.test.ts',
      'test/unit/amounts.test.ts',
      'test/unit/available-amounts.test.ts',
      'test/unit/credential.test.ts',
      'test/unit/cursor.test.ts',
      'test/unit/exchange.test.ts',
      'test/unit/machine.test.ts',
      'test/unit/money.test.ts',
      'test/unit/paging.test.ts',
      'test/unit/path.test.ts',
      'test/unit/snapshot.test.ts',
    ],
    setupFiles: ['test/mutation/fixed-seed.ts'],
  },
});
