import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { killPoints } from '../money/kill-points.ts';
import { followUps, openScene, type Run } from '../money/killed-gateway.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const stores: Record<string, () => Promise<Settings>> = {
  PGlite: async () => ({ DATA_DIR: usedFolder() }),
  PostgreSQL: async () => ({ DATABASE_URL: await createDatabase(inject('postgresUrl')) }),
};
const cases = (['capture', 'refund', 'void'] as const).flatMap((movement) =>
  ([400, 1000] as const).map((amount) => [movement, amount] as const),
);

/** 126 kills for each store, and 18 runs without one. */
describe.each(Object.entries(stores))('on %s', (_name, settings) => {
  test.each(cases)(
    'a %s of %i moves once and is told truly, killed anywhere',
    async (movement, amount) => {
      const runs: Run[] = [...killPoints, 'never' as const].flatMap((killed) =>
        followUps.map((caller) => ({ movement, amount, killed, caller })),
      );
      const scene = await openScene(sandbox, await settings());
      for (const run of runs) await scene.play(run);
      await scene.close();
    },
  );
});
