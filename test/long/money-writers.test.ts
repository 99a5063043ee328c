import { expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/sandbox/seed/random.ts';
import {
  type GatewayProcess,
  settingsFor,
  startGatewayProcess,
} from '../money/support/gateway-process.ts';
import {
  type LedgerEntry,
  openServiceLedger,
  type ServiceLedger,
} from '../money/support/service-ledger.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedPostgres } from '../support/storage.ts';
import {
  createWriters,
  type SharedTransaction,
  type WrittenMovement,
} from './support/money-writers.ts';

/** For each store. */
const KILLS = Number(process.env.KILLS ?? 150);
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const WRITERS = 20;
/** A gateway is killed after up to this many answers of the service and the gateways. */
const MAX_ANSWERS = 150;
/** Short, so that writers do not wait for dead gateways most of the time. */
const shortLease: Settings = { UPSTREAM_WRITE_MS: '500', MONEY_LEASE_MS: '1000' };

const stores: [string, number, () => Promise<Settings>][] = [
  ['a gateway on PGlite', 1, async () => ({ DATA_DIR: usedFolder() })],
  ['a gateway on PostgreSQL', 1, async () => ({ DATABASE_URL: await preparedPostgres() })],
  ['two gateways on one PostgreSQL', 2, async () => ({ DATABASE_URL: await preparedPostgres() })],
];

test.each(stores)(
  `while %s is killed ${KILLS} times, ${WRITERS} writers get outcomes that are true`,
  async (name, count, settings) => {
    console.log(`money: ${name}, ${KILLS} kills, SEED=${SEED}`);
    const { ledger, log, gateway } = await killRepeatedly(await settings(), count);
    await expectTrueOutcomes(gateway, ledger, log);
    console.log(`money: ${name}, ${KILLS} kills, ${summarise(log)}`);
  },
);

async function killRepeatedly(store: Settings, count: number) {
  const random = createRandom(SEED);
  let countAnswer = () => {};
  const sandbox = await startTestSandbox({ log: () => countAnswer() });
  onTestFinished(() => sandbox.close());
  const ledger = await openServiceLedger(sandbox);
  const settings = { ...settingsFor(sandbox), ...shortLease, ...store };
  const start = () => startGatewayProcess(settings, sandbox.demoApp.key);

  /** The gateways, each of which is replaced when it is killed. */
  const gateways = await Promise.all(Array.from({ length: count }, start));
  const running = gateways.map((gateway) => Promise.resolve(gateway));
  const anyGateway = () => running[random(count)] ?? start();
  const writers = createWriters({
    ledger,
    random,
    gateway: anyGateway,
    onAnswer: () => countAnswer(),
  });
  const work = writers.start(WRITERS);
  for (let kill = 0; kill < KILLS; kill++) {
    const place = random(count);
    const victim = await running[place];
    let left = 1 + random(MAX_ANSWERS);
    const killed = new Promise<void>((resolve) => {
      countAnswer = () => {
        left--;
        if (left > 0 || victim === undefined) return;
        countAnswer = () => {};
        running[place] = victim.stop('SIGKILL').then(start);
        resolve();
      };
    });
    await Promise.race([killed, work]);
  }
  writers.stop();
  await work;
  return { ledger, log: writers.log, gateway: await anyGateway() };
}

/** The outcomes that were returned, the operations, and the service's ledger must agree. */
async function expectTrueOutcomes(
  gateway: GatewayProcess,
  ledger: ServiceLedger,
  log: readonly WrittenMovement[],
): Promise<void> {
  const statuses = await readStatuses(gateway, ledger.merchantId, log);
  const faults: string[] = [];
  for (const { outcome, movement, input } of log) {
    const status = statuses.get(input.idempotencyKey) ?? 'NONE';
    if (possibleStatuses[outcome ?? 'UNKNOWN'].includes(status)) continue;
    const description = `${movement} of ${input.amount.minorUnits}`;
    faults.push(`${description}: returned ${outcome}, but the operation is ${status}`);
  }
  for (const transaction of new Set(log.map((written) => written.transaction))) {
    const entries = await ledger.entries(transaction.id);
    const own = log.filter((written) => written.transaction === transaction);
    faults.push(...findDifferences(transaction, entries, own, statuses));
  }
  expect(faults).toEqual([]);
}

/** What an operation may be in the end if its writer got this outcome. */
const possibleStatuses: Record<NonNullable<WrittenMovement['outcome']>, readonly string[]> = {
  SUCCEEDED: ['SUCCEEDED'],
  UNKNOWN: ['UNKNOWN', 'SUCCEEDED'],
  REJECTED: ['REJECTED', 'NONE'],
  'GIVEN UP': ['NONE'],
};

/** Compares entries and succeeded operations of each kind and amount. */
function findDifferences(
  { id, before }: SharedTransaction,
  entries: readonly LedgerEntry[],
  written: readonly WrittenMovement[],
  statuses: ReadonlyMap<string, string>,
): string[] {
  const describe = ({ kind, amount }: LedgerEntry) => `${kind} ${amount}`;
  const count = (all: readonly LedgerEntry[], wanted: string) =>
    all.filter((entry) => describe(entry) === wanted).length;
  // Nothing is on its way any more, and what is unknown was read again: it is not there.
  const succeeded = written
    .filter(({ input }) => statuses.get(input.idempotencyKey) === 'SUCCEEDED')
    .map(({ movement, input }) => ({ kind: movement, amount: input.amount.minorUnits }));
  return [...new Set([...entries, ...succeeded].map(describe))].flatMap((wanted) => {
    const applied = count(entries, wanted) - count(before, wanted);
    const done = count(succeeded, wanted);
    if (applied === done) return [];
    return [`${id}: ${applied} entries ${wanted}, but ${done} succeeded operations`];
  });
}

const AT_ONCE = 20;

async function readStatuses(
  { ask }: GatewayProcess,
  merchantId: string,
  log: readonly WrittenMovement[],
): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  for (let first = 0; first < log.length; first += AT_ONCE) {
    const keys = log.slice(first, first + AT_ONCE).map(({ input }) => input.idempotencyKey);
    const fields = keys.map(
      (key, index) =>
        `o${index}: moneyOperation(merchantId: "${merchantId}", idempotencyKey: "${key}") { status }`,
    );
    const { data, errors } = await ask(`{ ${fields.join('\n')} }`);
    expect(errors).toBeUndefined();
    for (const [index, key] of keys.entries()) {
      const found = data[`o${index}`];
      if (found !== null) statuses.set(key, found.status);
    }
  }
  return statuses;
}

function summarise(log: readonly WrittenMovement[]): string {
  const outcomes = Object.keys(possibleStatuses).map((outcome) => {
    const count = log.filter((written) => written.outcome === outcome).length;
    return `${count} ${outcome.toLowerCase()}`;
  });
  const cutOff = log.reduce((sum, written) => sum + written.cutOff, 0);
  return `${log.length} operations: ${outcomes.join(', ')}; ${cutOff} requests without an answer`;
}
