import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { killPoints } from '../money/support/kill-points.ts';
import {
  describeRun,
  followUps,
  type KillRun,
  type KillScenario,
  openKillScenario,
} from '../money/support/kill-scenario.ts';
import { movements } from '../money/support/money-client.ts';
import type { Settings } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedDataDir, preparedPostgres } from '../support/storage.ts';

/** 126 runs with a kill, and 18 without one, for each store. */
const runs: KillRun[] = movements.flatMap((movement) =>
  ([400, 1000] as const).flatMap((amount) =>
    ([...killPoints, 'never'] as const).flatMap((killed) =>
      followUps.map((caller) => ({ movement, amount, killed, caller })),
    ),
  ),
);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox?.close());

const stores: [string, () => Promise<Settings>][] = [
  ['PGlite', async () => ({ DATA_DIR: preparedDataDir() })],
  ['PostgreSQL', async () => ({ DATABASE_URL: await preparedPostgres() })],
];

describe.each(stores)('on %s', (_name, settings) => {
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
