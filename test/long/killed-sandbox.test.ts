import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/sandbox/seed/demo-data.ts';
import { ledgerFaults } from '../sandbox/ledger.ts';
import type { AnyRecord } from '../sandbox/shop.ts';
import { createDatabase } from '../support/postgres-server.ts';
import type { Settings } from '../support/program.ts';
import { type SandboxProcess, startSandboxProcess } from './support/sandbox-process.ts';
import {
  type Asked,
  movementPaths,
  type Round,
  writeUntilKilled,
} from './support/sandbox-writers.ts';

const KILLS = Number(process.env.KILLS ?? 50);
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Users in the demo data. */
const DEMO_USERS = 25;

interface Storage {
  readonly name: string;
  readonly settings: Settings;
  /** Waits until nothing that a killed process has sent can still be written. */
  readonly untilIdle: () => Promise<void>;
}

test(`a sandbox on PGlite that is killed ${KILLS} times keeps every acknowledged write, and each write completely or not at all`, async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'sandbox-kill-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  await killRepeatedly({ name: 'PGlite', settings: { DATA_DIR }, untilIdle: async () => {} });
});

test(`a sandbox on PostgreSQL that is killed ${KILLS} times keeps every acknowledged write, and each write completely or not at all`, async () => {
  const server = inject('postgresUrl');
  const databaseUrl = await createDatabase(server);
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  onTestFinished(() => admin.end());
  const database = new URL(databaseUrl).pathname.slice(1);
  async function untilIdle(): Promise<void> {
    const query = 'SELECT 1 FROM pg_stat_activity WHERE datname = $1';
    while ((await admin.query(query, [database])).rowCount !== 0);
  }
  const settings = { SANDBOX_DATABASE_URL: databaseUrl };
  await killRepeatedly({ name: 'PostgreSQL', settings, untilIdle });
});

/** Writes, kills, starts again on the same storage and compares, for each round. */
async function killRepeatedly({ name, settings, untilIdle }: Storage): Promise<void> {
  console.log(`kill: ${name}, ${KILLS} kills, SEED=${SEED}`);
  const random = createRandom(SEED);
  const rounds: Round[] = [];
  let sandbox = await startSandboxProcess(settings);
  for (let kill = 0; kill < KILLS; kill++) {
    const round = await writeUntilKilled(sandbox, random);
    rounds.push(round);
    await untilIdle();
    sandbox = await startSandboxProcess(settings);
    await expectKept(sandbox, round);
  }
  // The writes of earlier rounds are also still there.
  for (const round of rounds) await expectKept(sandbox, round);
  await expectUsers(sandbox, rounds);
  await sandbox.stop();

  const total = (part: 'acknowledged' | 'cutOff') =>
    rounds.reduce(
      (sum, { users, transactions, movements }) =>
        sum + users[part] + transactions[part] + movements[part],
      0,
    );
  console.log(
    `kill: ${name}, ${KILLS} kills, ${total('acknowledged')} writes acknowledged, ${total('cutOff')} cut off, 0 lost`,
  );
}

/** Every acknowledged write is there, no others than those that were asked for, and all sums agree. */
async function expectKept({ payments }: SandboxProcess, round: Round): Promise<void> {
  const { faults, transactions } = await ledgerFaults({ payments, id: round.merchantId });
  expect(faults).toEqual([]);
  expectWithin(transactions.length, round.transactions);
  const found = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  for (const [id, totals] of round.totals) {
    for (const counter of Object.values(movementPaths)) {
      expectWithin(found.get(id)?.[`${counter}Amount`], totals[counter]);
    }
    found.delete(id);
  }
  // A writer that was cut off never got the id, so nothing was moved afterwards.
  for (const { pendingAmount, amount } of found.values()) expect(pendingAmount).toBe(amount);
}

async function expectUsers({ users }: SandboxProcess, rounds: readonly Round[]): Promise<void> {
  const ids = (await users.get('/users')).body.map(({ id }: AnyRecord) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const round of rounds) expect(ids).toEqual(expect.arrayContaining(round.users.ids));
  const asked: Asked = { acknowledged: DEMO_USERS, cutOff: 0 };
  for (const round of rounds) {
    asked.acknowledged += round.users.acknowledged;
    asked.cutOff += round.users.cutOff;
  }
  expectWithin(ids.length, asked);
}

function expectWithin(value: number, { acknowledged, cutOff }: Asked): void {
  expect(value).toBeGreaterThanOrEqual(acknowledged);
  expect(value).toBeLessThanOrEqual(acknowledged + cutOff);
}
