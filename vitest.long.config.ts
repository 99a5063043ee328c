import { defineConfig } from 'vitest/config';
import { reasonToSkip } from './test/support/installed.ts';
import { project } from './test/support/project.ts';
import { Sequencer } from './test/support/sequencer.ts';

const SCALE = 10;
const TIMEOUT_MS = 3_600_000;

/** Tests of the everyday suite that repeat something, here ten times as often. */
const repeated = [
  'test/sandbox/ledger-model.test.ts',
  'test/sandbox/fuzz.test.ts',
  'test/gateway/engines.test.ts',
  'test/gateway/fuzz.test.ts',
  'test/gateway/isolation.test.ts',
  'test/replica/agreement.test.ts',
  'test/replica/event-kills.test.ts',
];
/** Those that need no database, or use both. */
const once = [
  'test/browser/graphiql.test.ts',
  'test/browser/prefix.test.ts',
  'test/bench/check.test.ts',
  'test/control/side-by-side.test.ts',
  'test/deploy/image.test.ts',
  'test/gateway/sandbox-faults.test.ts',
  'test/gateway/search/balance-report.test.ts',
  'test/gateway/search/line-and-dispute-filters.test.ts',
  'test/gateway/search/totals.test.ts',
  'test/gateway/search/transaction-filters.test.ts',
  'test/gateway/small-budgets.test.ts',
  'test/gateway/two-ways.test.ts',
  'test/money/another-actor.test.ts',
  'test/money/lying-answers.test.ts',
  'test/program/crash.test.ts',
  'test/program/without-sandbox.test.ts',
  'test/replica/killed.test.ts',
  'test/telemetry/metrics.test.ts',
];
/** Those that compare times, so that nothing may run beside them. */
const timed = [
  'export',
  'fair-connections',
  'garbage',
  'load-beside-sandbox',
  'outage',
  'restarts',
  'rolling-restarts',
  'slow-clients',
  'small-heap',
  'watchers',
].map((name) => `test/long/${name}.test.ts`);

/** A long test measures programs as users run them. */
const common = { scale: SCALE, nodeFlags: [] };
const long = { testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS };
const alone = { ...long, maxWorkers: 1, sequence: { groupOrder: 0 } };
const together = { ...long, maxWorkers: 3, sequence: { groupOrder: 1 } };

/** Whatever connection a transaction gets; except for what a connection itself is set to. */
const behindPgbouncer = project(
  'behind PgBouncer',
  {
    include: ['test/replica/**/*.test.ts', 'test/money/**/*.test.ts'],
    globalSetup: ['test/support/pgbouncer.ts'],
  },
  { ...together, exclude: ['test/money/postgres-session.test.ts'] },
);
const withoutPgbouncer = reasonToSkip({ pgbouncer: '-V' });
if (withoutPgbouncer !== '') console.warn(`Tests behind PgBouncer${withoutPgbouncer}`);

/** Tests that take minutes: `npm run test:long`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts'],
    retry: 0,
    sequence: { sequencer: Sequencer },
    projects: [
      project('timed', { ...common, include: timed }, alone),
      project('long', common, { ...together, exclude: timed }),
      project('repeated', { ...common, include: [...repeated, ...once] }, together),
      project(
        'sandbox on PGlite',
        { database: 'PGlite', include: ['test/sandbox/**/*.test.ts'] },
        together,
      ),
      ...(withoutPgbouncer === '' ? [behindPgbouncer] : []),
      project('repeated on PGlite', { ...common, database: 'PGlite', include: repeated }, together),
    ],
  },
});
