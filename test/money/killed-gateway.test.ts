import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Settings } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedDataDir, preparedPostgres } from '../support/storage.ts';
import { killPoints } from './support/kill-points.ts';
import {
  describeRun,
  type KillRun,
  type KillScenario,
  openKillScenario,
} from './support/kill-scenario.ts';

// Every kill point on PostgreSQL, and on PGlite those that leave the store in different states.
// All combinations of both are in `npm run test:long`.
const postgresRuns: readonly KillRun[] = [
  { movement: 'void', amount: 1000, killed: 'before its claim', caller: 'queries, then repeats' },
  { movement: 'capture', amount: 400, killed: 'after its claim', caller: 'repeats' },
  { movement: 'refund', amount: 1000, killed: 'while its POST is lost', caller: 'repeats' },
  {
    movement: 'void',
    amount: 400,
    killed: 'while its POST is late',
    caller: 'queries, then repeats',
  },
  { movement: 'capture', amount: 400, killed: 'before the answer', caller: 'repeats twice' },
  { movement: 'refund', amount: 400, killed: 'after the answer', caller: 'repeats' },
  { movement: 'void', amount: 1000, killed: 'before its reply', caller: 'repeats' },
  { movement: 'capture', amount: 1000, killed: 'never', caller: 'queries, then repeats' },
];
const pgliteRuns: readonly KillRun[] = [
  { movement: 'refund', amount: 1000, killed: 'after its claim', caller: 'queries, then repeats' },
  { movement: 'capture', amount: 1000, killed: 'while its POST is late', caller: 'repeats twice' },
  { movement: 'void', amount: 400, killed: 'before its reply', caller: 'repeats twice' },
];

test('the runs on PostgreSQL contain every kill point', () => {
  expect(postgresRuns.map(({ killed }) => killed)).toEqual([...killPoints, 'never']);
});

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox?.close());

const stores: [string, readonly KillRun[], () => Promise<Settings>][] = [
  ['PGlite', pgliteRuns, async () => ({ DATA_DIR: preparedDataDir() })],
  ['PostgreSQL', postgresRuns, async () => ({ DATABASE_URL: await preparedPostgres() })],
];

describe.each(stores)('on %s', (_name, runs, settings) => {
  let scenario: KillScenario;
  beforeAll(async () => {
    scenario = await openKillScenario(sandbox, await settings());
  });
  afterAll(() => scenario?.close());

  test.each(runs.map((run) => [describeRun(run), run] as const))(
    '%s applies at most once, and its outcome is reported correctly',
    (_description, run) => scenario.run(run),
  );
});
