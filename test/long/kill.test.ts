import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/sandbox/seed/random.ts';
import { ledgerFaults } from '../sandbox/ledger.ts';
import { type AnyRecord, form, smallestMerchant } from '../sandbox/shop.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { freePorts, type Running, type Settings, startNode } from '../support/program.ts';
import { type RestAnswer, type RestCaller, rest } from '../support/rest.ts';

const KILLS = Number(process.env.KILLS ?? 50);
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const WRITERS = 20;
/** A kill comes after so many answers at most; some come before the first. */
const MOST_ANSWERS = 120;
const KEY = 'kill-key';
/** One plain, one whose captures bring disputes that are lost, one with a fraud alert. */
const CARDS = ['4100000000000000', '4100000000000102', '4100000000000110'];

/** The sandbox as a program of its own. */
interface Process extends Running {
  readonly users: RestCaller;
  readonly payments: RestCaller;
  readonly posUrl: string;
}

interface Place {
  readonly name: string;
  readonly settings: Settings;
  /** Waits until nothing of a killed process can still be written. */
  readonly quiet: () => Promise<void>;
}

type Counter = 'captured' | 'refunded' | 'voided';

/** What was asked for: the acknowledged part must be there, the part that was cut off may be. */
interface Asked {
  acknowledged: number;
  cutOff: number;
}

const counters = { captures: 'captured', refunds: 'refunded', voids: 'voided' } as const;

/** All writes of one round. */
interface Round {
  readonly merchantId: string;
  readonly users: Asked & { readonly ids: string[] };
  readonly transactions: Asked;
  readonly movements: Asked;
  /** The counters of every transaction whose id came back. */
  readonly totals: Map<string, Record<Counter, Asked>>;
}

test(`a sandbox on PGlite that is killed ${KILLS} times keeps every acknowledged write, and none by halves`, async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'sandbox-kill-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  await killAgainAndAgain({ name: 'PGlite', settings: { DATA_DIR }, quiet: async () => {} });
});

test(`a sandbox on PostgreSQL that is killed ${KILLS} times keeps every acknowledged write, and none by halves`, async () => {
  const server = inject('postgresUrl');
  const databaseUrl = await createDatabase(server);
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  async function quiet(): Promise<void> {
    const query = 'SELECT 1 FROM pg_stat_activity WHERE datname = $1';
    const database = new URL(databaseUrl).pathname.slice(1);
    while ((await admin.query(query, [database])).rowCount !== 0);
  }
  try {
    const settings = { SANDBOX_DATABASE_URL: databaseUrl };
    await killAgainAndAgain({ name: 'PostgreSQL', settings, quiet });
  } finally {
    await admin.end();
  }
});

async function start(settings: Settings): Promise<Process> {
  const running = startNode(['dist/sandbox/main.js'], {
    ...freePorts,
    ...settings,
    SANDBOX_DEMO_KEY: KEY,
  });
  const [, usersUrl = '', paymentsUrl = '', posUrl = ''] = await running.printed(
    /User records +(\S+)\nPayments +(\S+)\nPayment page +(\S+)\n/,
  );
  return { ...running, users: rest(usersUrl), payments: rest(paymentsUrl, KEY), posUrl };
}

/** Writes, kills, starts again and looks, round after round on the same storage. */
async function killAgainAndAgain({ name, settings, quiet }: Place): Promise<void> {
  console.log(`kill: ${name}, ${KILLS} kills, SEED=${SEED}`);
  const random = createRandom(SEED);
  const rounds: Round[] = [];
  let sandbox = await start(settings);
  for (let kill = 0; kill < KILLS; kill++) {
    const round = await writeUntilKilled(sandbox, random);
    rounds.push(round);
    await quiet();
    sandbox = await start(settings);
    await expectKept(sandbox, round);
  }
  // What earlier rounds wrote is still there, too, and as sound as then.
  for (const round of rounds) await expectKept(sandbox, round);
  await expectUsers(sandbox, rounds);
  await sandbox.stop();

  const sum = (part: keyof Asked) =>
    rounds.reduce(
      (total, { users, transactions, movements }) =>
        total + users[part] + transactions[part] + movements[part],
      0,
    );
  console.log(
    `kill: ${name}, ${KILLS} kills, ${sum('acknowledged')} writes acknowledged, ${sum('cutOff')} cut off, 0 lost, 0 half done`,
  );
}

/** A merchant of its own, and twenty writers who work until the process is killed under them. */
async function writeUntilKilled(
  sandbox: Process,
  random: (below: number) => number,
): Promise<Round> {
  const { payments, users } = sandbox;
  const { merchant } = (await payments.post('/merchants', { ...smallestMerchant, test: true }))
    .body;
  const sources = await Promise.all(CARDS.map((card) => payOnPage(sandbox, merchant.key, card)));
  const nothing = (): Asked => ({ acknowledged: 0, cutOff: 0 });
  const round: Round = {
    merchantId: merchant.id,
    users: { ...nothing(), ids: [] },
    transactions: { acknowledged: CARDS.length, cutOff: 0 },
    movements: nothing(),
    totals: new Map(),
  };
  const { totals } = round;
  function know(id: string): void {
    totals.set(id, { captured: nothing(), refunded: nothing(), voided: nothing() });
  }
  for (const id of sources) know(id);

  let answersLeft = random(MOST_ANSWERS);
  let killed: Promise<unknown> | undefined;
  /** Sends one write; `undefined` when it was cut off. */
  async function send(asked: Asked, write: Promise<RestAnswer>): Promise<RestAnswer | undefined> {
    try {
      const answer = await write;
      if (answer.status === 201) asked.acknowledged++;
      // Only what does not fit is refused.
      else expect([400, 409]).toContain(answer.status);
      if (answersLeft-- <= 0) killed ??= sandbox.stop('SIGKILL');
      return answer;
    } catch (error) {
      if (!(error instanceof TypeError) || killed === undefined) throw error;
      asked.cutOff++;
      return undefined;
    }
  }

  async function write(): Promise<void> {
    const what = random(6);
    const amount = 1 + random(400);
    if (what === 0) {
      const user = { name: 'Ada', email: 'ada@example.com', address: 'London' };
      const answer = await send(round.users, users.post('/users', user));
      if (answer !== undefined) round.users.ids.push(answer.body.id);
      return;
    }
    const known = [...totals.keys()];
    if (what === 1) {
      const input = { transactionId: sources[random(CARDS.length)], currency: 'EUR', amount: 1000 };
      const path = `/merchants/${merchant.id}/transactions`;
      const answer = await send(round.transactions, payments.post(path, input));
      if (answer !== undefined) know(answer.body.transaction.id);
      return;
    }
    const movement =
      (['captures', 'captures', 'refunds', 'voids'] as const)[what - 2] ?? 'captures';
    const id = known[random(known.length)] as string;
    const total = (totals.get(id) as Record<Counter, Asked>)[counters[movement]];
    const path = `/transactions/${id}/${movement}`;
    const answer = await send(round.movements, payments.post(path, { amount }));
    if (answer === undefined) total.cutOff += amount;
    else if (answer.status === 201) total.acknowledged += amount;
  }

  if (answersLeft === 0) killed = sandbox.stop('SIGKILL');
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      do await write();
      while (killed === undefined);
    }),
  );
  expect(await killed).toMatchObject({ signal: 'SIGKILL' });
  return round;
}

async function payOnPage({ posUrl }: Process, key: string, card: string): Promise<string> {
  const fields = { 'card[number]': card, 'card[expiry]': '08/66', 'card[code]': '123' };
  const sent = form(String(new URLSearchParams(fields)));
  const response = await fetch(`${posUrl}/?key=${key}&test=1&currency=EUR&value=10`, sent);
  const [, id] = /data-transaction-id="(\w+)"/.exec(await response.text()) ?? [];
  if (id === undefined) throw new Error(`No payment: ${response.status}`);
  return id;
}

/** Nothing acknowledged is missing, nothing is there that nobody asked for, and the books are right. */
async function expectKept({ payments }: Process, round: Round): Promise<void> {
  const { faults, transactions } = await ledgerFaults({ payments, id: round.merchantId });
  expect(faults).toEqual([]);
  expectWithin(transactions.length, round.transactions);
  const found = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  for (const [id, totals] of round.totals) {
    for (const counter of Object.values(counters)) {
      expectWithin(found.get(id)?.[`${counter}Amount`], totals[counter]);
    }
    found.delete(id);
  }
  // Whoever was cut off never learned the id, so nothing was done to it afterwards.
  for (const { pendingAmount, amount } of found.values()) expect(pendingAmount).toBe(amount);
}

async function expectUsers({ users }: Process, rounds: readonly Round[]): Promise<void> {
  const ids = (await users.get('/users')).body.map(({ id }: AnyRecord) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const round of rounds) expect(ids).toEqual(expect.arrayContaining(round.users.ids));
  const of = (part: keyof Asked) => rounds.reduce((total, { users }) => total + users[part], 25);
  expectWithin(ids.length, { acknowledged: of('acknowledged'), cutOff: of('cutOff') - 25 });
}

function expectWithin(value: number, { acknowledged, cutOff }: Asked): void {
  expect(value).toBeGreaterThanOrEqual(acknowledged);
  expect(value).toBeLessThanOrEqual(acknowledged + cutOff);
}
