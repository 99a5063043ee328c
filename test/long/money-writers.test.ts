import { describe, expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/sandbox/seed/demo-data.ts';
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
import { startFaultProxy } from '../support/fault-proxy.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedPostgres } from '../support/storage.ts';
import { type Between, endFaults, startFaults } from './support/faulty-service.ts';
import {
  createWriters,
  type SharedTransaction,
  type WrittenMovement,
} from './support/money-writers.ts';

/** For each store and each kind of fault: 500 together. */
const KILLS = Number(process.env.KILLS ?? 125);
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const WRITERS = 20;
/** A gateway is killed after up to this many answers of the service and the gateways. */
const MAX_ANSWERS = 150;
/** Short, so that writers do not wait for dead gateways most of the time. */
const shortLease: Settings = { UPSTREAM_WRITE_MS: '500', MONEY_LEASE_MS: '1000' };

const stores: [string, number, () => Promise<Settings>][] = [
  ['a gateway on PGlite', 1, async () => ({ DATA_DIR: usedFolder() })],
  ['two gateways on one PostgreSQL', 2, async () => ({ DATABASE_URL: await preparedPostgres() })],
];

const faults: Between[] = ['lying answers', 'lagging reads'];

describe.each(faults)('behind %s', (between) => {
  test.each(stores)(
    `while %s is killed ${KILLS} times, ${WRITERS} writers get outcomes that are true`,
    async (name, count, settings) => {
      console.log(`money: ${between}, ${name}, ${KILLS} kills, SEED=${SEED}`);
      const { ledger, log, gateway } = await killRepeatedly(await settings(), count, between);
      await expectTrueOutcomes(gateway, ledger, log);
      console.log(`money: ${between}, ${name}, ${KILLS} kills, ${summarise(log)}`);
    },
  );
});

async function killRepeatedly(store: Settings, count: number, between: Between) {
  const random = createRandom(SEED);
  let countAnswer = () => {};
  const sandbox = await startTestSandbox({ log: () => countAnswer() });
  onTestFinished(() => sandbox.close());
  const ledger = await openServiceLedger(sandbox);
  const proxy = await startFaultProxy(sandbox.paymentsUrl);
  onTestFinished(() => proxy.close());
  startFaults(between, proxy, random);
  const settings = { ...settingsFor(sandbox, proxy.url), ...shortLease, ...store };
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
  endFaults(proxy);
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
  UNKNOWN: ['UNKNOWN', 'SUCCEEDED', 'REJECTED', 'NOT_APPLIED', 'NONE'],
  REJECTED: ['REJECTED', 'NOT_APPLIED', 'NONE'],
  'GIVEN UP': ['NONE'],
};

/** Compares entries and succeeded operations of each kind and amount. */
function findDifferences(
  { id, before }: SharedTransaction,
  entries: readonly LedgerEntry[],
  written: readonly WrittenMovement[],
  statuses: ReadonlyMap<string, string>,
): string[] {
  const nameOf = ({ kind, amount }: LedgerEntry) => `${kind} ${amount}`;
  const count = (all: readonly LedgerEntry[], wanted: string) =>
    all.filter((entry) => nameOf(entry) === wanted).length;
  // Nothing is on its way any more. An entry that more than one operation may have added
  // leaves an operation UNKNOWN until the operator settles it.
  const inState = (status: string) =>
    written
      .filter(({ input }) => statuses.get(input.idempotencyKey) === status)
      .map(({ movement, input }) => ({ kind: movement, amount: input.amount.minorUnits }));
  const [succeeded, unknown] = [inState('SUCCEEDED'), inState('UNKNOWN')];
  return [...new Set([...entries, ...succeeded].map(nameOf))].flatMap((wanted) => {
    const applied = count(entries, wanted) - count(before, wanted);
    const [done, open] = [count(succeeded, wanted), count(unknown, wanted)];
    if (done <= applied && applied <= done + open) return [];
    return [`${id}: ${applied} entries ${wanted}, ${done} operations succeeded, ${open} unknown`];
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
