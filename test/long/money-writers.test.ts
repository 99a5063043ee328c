import { expect, inject, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/sandbox/seed/random.ts';
import { type Books, openBooks } from '../money/books.ts';
import { type GatewayProcess, inFrontOf, startGatewayProcess } from '../money/gateway-process.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { employWriters, type Wanted } from './money-writers.ts';

/** For each store. */
const KILLS = Number(process.env.KILLS ?? 150);
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const WRITERS = 20;
/** A kill comes after so many answers of the service and the gateway at most. */
const MOST_EVENTS = 150;
/** Short, so that writers do not wait for dead gateways most of the time. */
const LEASE: Settings = { UPSTREAM_WRITE_MS: '500', MONEY_LEASE_MS: '1000' };

test(`${WRITERS} writers are told the truth while their gateway on PGlite is killed ${KILLS} times`, async () => {
  await killAgainAndAgain({ DATA_DIR: usedFolder() });
});

test(`${WRITERS} writers are told the truth while their gateway on PostgreSQL is killed ${KILLS} times`, async () => {
  await killAgainAndAgain({ DATABASE_URL: await createDatabase(inject('postgresUrl')) });
});

test(`${WRITERS} writers are told the truth while two gateways on one PostgreSQL are killed ${KILLS} times`, async () => {
  await killAgainAndAgain({ DATABASE_URL: await createDatabase(inject('postgresUrl')) }, 2);
});

async function killAgainAndAgain(store: Settings, count = 1): Promise<void> {
  const name = `${count} on ${Object.keys(store)}`;
  console.log(`money: ${name}, ${KILLS} kills, SEED=${SEED}`);
  const random = createRandom(SEED);
  let tick = () => {};
  const sandbox = await startTestSandbox({ log: () => tick() });
  onTestFinished(() => sandbox.close());
  const books = await openBooks(sandbox);
  const settings = { ...inFrontOf(sandbox), ...LEASE, ...store };
  const start = () => startGatewayProcess(settings, sandbox.demoApp.key);

  const gateways = await Promise.all(Array.from({ length: count }, start));
  /** Each, or the one that takes its place. */
  const living = gateways.map((gateway) => Promise.resolve(gateway));
  const any = () => living[random(count)] as Promise<GatewayProcess>;
  const writers = employWriters({ books, random, gateway: any, answered: () => tick() });
  const work = writers.start(WRITERS);
  for (let kill = 0; kill < KILLS; kill++) {
    const place = random(count);
    const victim = await living[place];
    let left = 1 + random(MOST_EVENTS);
    const killed = new Promise<void>((resolve) => {
      tick = () => {
        if (--left > 0) return;
        tick = () => {};
        living[place] = (victim as GatewayProcess).stop('SIGKILL').then(start);
        resolve();
      };
    });
    await Promise.race([killed, work]);
  }
  writers.stop();
  await work;
  await expectTruth(await any(), books, writers.log);
  console.log(`money: ${name}, ${KILLS} kills, ${summary(writers.log)}`);
}

/** What was told, what the operations say and what is in the books are one and the same. */
async function expectTruth(
  gateway: GatewayProcess,
  books: Books,
  log: readonly Wanted[],
): Promise<void> {
  const statuses = await readStatuses(gateway, books.merchantId, log);
  const faults: string[] = [];
  for (const { key, ended, movement, amount } of log) {
    const status = statuses.get(key) ?? 'NONE';
    if (fits[ended ?? 'UNKNOWN'].includes(status)) continue;
    faults.push(`${movement} of ${amount}: told ${ended}, the operation is ${status}`);
  }
  for (const lockKey of new Set(log.map((wanted) => wanted.lockKey))) {
    const entries = await books.entries(lockKey.id);
    const own = log.filter((wanted) => wanted.lockKey === lockKey);
    for (const looks of new Set([...entries, ...own].map(looksOf))) {
      const applied =
        entries.filter((entry) => looksOf(entry) === looks).length -
        lockKey.opening.filter((entry) => looksOf(entry) === looks).length;
      const alike = own.filter((wanted) => looksOf(wanted) === looks);
      // Nothing is on its way any more: what is still unknown was looked for, and is not there.
      const done = alike.filter(({ key }) => statuses.get(key) === 'SUCCEEDED').length;
      if (applied !== done) {
        faults.push(
          `${lockKey.id}: ${applied} entries ${looks}, ${done} operations that succeeded`,
        );
      }
    }
  }
  expect(faults).toEqual([]);
}

/** What an operation may be in the end when its writer was told this. */
const fits: Record<NonNullable<Wanted['ended']>, readonly string[]> = {
  SUCCEEDED: ['SUCCEEDED'],
  UNKNOWN: ['UNKNOWN', 'SUCCEEDED'],
  REJECTED: ['REJECTED', 'NONE'],
  'GIVEN UP': ['NONE'],
};

function looksOf(movement: { kind: string; amount: number } | Wanted): string {
  return `${'kind' in movement ? movement.kind : movement.movement} ${movement.amount}`;
}

const AT_ONCE = 20;

async function readStatuses(
  { ask }: GatewayProcess,
  merchantId: string,
  log: readonly Wanted[],
): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  for (let first = 0; first < log.length; first += AT_ONCE) {
    const some = log.slice(first, first + AT_ONCE);
    const fields = some.map(
      ({ key }, index) =>
        `o${index}: moneyOperation(merchantId: "${merchantId}", idempotencyKey: "${key}") { status }`,
    );
    const { data, errors } = await ask(`{ ${fields.join('\n')} }`);
    expect(errors).toBeUndefined();
    for (const [index, { key }] of some.entries()) {
      const found = data[`o${index}`];
      if (found !== null) statuses.set(key, found.status);
    }
  }
  return statuses;
}

function summary(log: readonly Wanted[]): string {
  const count = (what: (wanted: Wanted) => boolean) => log.filter(what).length;
  const endings = Object.keys(fits).map(
    (ended) => `${count((wanted) => wanted.ended === ended)} ${ended.toLowerCase()}`,
  );
  const cutOff = log.reduce((sum, wanted) => sum + wanted.cutOff, 0);
  return `${log.length} operations: ${endings.join(', ')}; ${cutOff} requests cut off, 0 lies`;
}
