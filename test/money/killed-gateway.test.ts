import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { killPoints } from './kill-points.ts';
import { openScene, type Run } from './killed-gateway.ts';

/** Every kill point twice, as different as can be; all 126 are in `npm run test:long`. */
const onPGlite: readonly Run[] = [
  { movement: 'capture', amount: 400, killed: 'before its claim', caller: 'repeats' },
  { movement: 'refund', amount: 1000, killed: 'after its claim', caller: 'asks, then repeats' },
  { movement: 'void', amount: 400, killed: 'while its POST is lost', caller: 'repeats twice' },
  { movement: 'capture', amount: 1000, killed: 'while its POST is late', caller: 'repeats twice' },
  { movement: 'refund', amount: 400, killed: 'before the answer', caller: 'repeats' },
  { movement: 'void', amount: 1000, killed: 'after the answer', caller: 'asks, then repeats' },
  { movement: 'capture', amount: 400, killed: 'before its reply', caller: 'repeats twice' },
  { movement: 'refund', amount: 400, killed: 'never', caller: 'repeats twice' },
];
const onPostgres: readonly Run[] = [
  { movement: 'void', amount: 1000, killed: 'before its claim', caller: 'asks, then repeats' },
  { movement: 'capture', amount: 400, killed: 'after its claim', caller: 'repeats' },
  { movement: 'refund', amount: 1000, killed: 'while its POST is lost', caller: 'repeats' },
  { movement: 'void', amount: 400, killed: 'while its POST is late', caller: 'asks, then repeats' },
  { movement: 'capture', amount: 400, killed: 'before the answer', caller: 'repeats twice' },
  { movement: 'refund', amount: 400, killed: 'after the answer', caller: 'repeats' },
  { movement: 'void', amount: 1000, killed: 'before its reply', caller: 'repeats' },
  { movement: 'capture', amount: 1000, killed: 'never', caller: 'asks, then repeats' },
];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox?.close());

async function playAll(runs: readonly Run[], store: Settings): Promise<void> {
  expect(runs.map(({ killed }) => killed)).toEqual([...killPoints, 'never']);
  const scene = await openScene(sandbox, store);
  for (const run of runs) await scene.play(run);
  await scene.close();
}

test('money moves once and is told truly when its gateway is killed, on PGlite', async () => {
  await playAll(onPGlite, { DATA_DIR: usedFolder() });
});

test('money moves once and is told truly when its gateway is killed, on PostgreSQL', async () => {
  const server = inject('postgresUrl');
  await playAll(onPostgres, { DATABASE_URL: await createDatabase(server) });
});
