import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { replicaProgram } from '../../src/gateway/replica/store/open-replica-store.ts';
import { createReplicaStore } from '../../src/gateway/replica/store/replica-store.ts';
import { type LedgerService, startLedgerService } from '../gateway/search/ledger-service.ts';
import { HOUR, plain, START, toWire } from '../gateway/search/payment-model.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { startProcess } from '../support/process.ts';
import { patientSettings, projectFolder } from '../support/program.ts';
import { preparedPostgres } from '../support/storage.ts';

// A gateway is killed again and again while it copies a merchant. The copy must continue.

interface Kill {
  /** Which page of a walk, counted from the start of the process. */
  readonly page: number;
  /** How long after its answer, in milliseconds; undefined if it gets no answer. */
  readonly after: number | undefined;
}

const kills: readonly Kill[] =
  inject('scale') === 1
    ? [1, 2, 3].flatMap((page) => [
        { page, after: undefined },
        { page, after: 0 },
      ])
    : [1, 2, 3].flatMap((page) =>
        [undefined, ...Array.from({ length: 12 }, (_, index) => index * 2)].map((after) => ({
          page,
          after,
        })),
      );

/** More than all processes together walk before they are killed. */
const COUNT = 100 * (2 + 3 * kills.length);
const transactions = Array.from({ length: COUNT }, (_, index) =>
  toWire(
    { ...plain, id: `t${String(COUNT - index).padStart(6, '0')}`, created: START - index * HOUR },
    'm1',
  ),
);
const lines = Array.from({ length: 150 }, (_, index) => ({
  ...{ id: `l${String(150 - index).padStart(4, '0')}`, merchantId: 'm1', balance: 1, fee: 0 },
  ...{ created: new Date(START - index * HOUR).toISOString(), capture: true },
}));

let ledger: LedgerService;
let service: FaultProxy;
beforeAll(async () => {
  ledger = await startLedgerService();
  const merchant = { id: 'm1', currency: 'EUR', test: true };
  ledger.show({ merchant, transactions, lines, disputes: [] });
  service = await startFaultProxy(ledger.url);
});
afterAll(async () => {
  await service?.close();
  await ledger?.close();
});

/** Pages of the lists that are walked; polls ask for what is newer. */
const isWalk = (name: string) =>
  /merchants\/m1\/(lines|transactions)\?/.test(name) && !/after=/.test(name);

test(`a copy continues where it was after ${kills.length} kills, and reads at most a page again for each`, async () => {
  const databaseUrl = await preparedPostgres();
  const database = await openDatabase({ databaseUrl, connections: 2 }, replicaProgram);
  const { find, read } = createReplicaStore(database);
  const start = () =>
    startProcess(process.execPath, ['bin/gateway.js'], {
      cwd: projectFolder,
      env: {
        ...patientSettings,
        ...{ USERS_URL: service.url, PAYMENTS_URL: service.url, POS_URL: service.url },
        ...{ PORT: '0', DATABASE_URL: databaseUrl, PAYMENTS_API_KEY: 'any-key' },
        ...{ SYNC_CALLS_PER_S: '10000', LOG_LEVEL: 'warn' },
      },
    });
  for (const { page, after } of kills) {
    const running = start();
    let seen = 0;
    const isKilled = new Promise<void>((resolve) => {
      service.onRead = async (forward, response, request) => {
        const isLast = isWalk(`${request.method} ${request.url}`) && ++seen === page;
        if (isLast && after === undefined) return resolve();
        const { status, type, body } = await forward();
        response.writeHead(status, { 'content-type': type }).end(body);
        if (isLast) setTimeout(resolve, after);
      };
    });
    await isKilled;
    await running.stop('SIGKILL');
    // As if the lease of the process had ended.
    await database.query(`UPDATE replica_merchant SET leased_until = '-infinity'`);
  }
  service.onRead = undefined;
  const running = start();
  await running.printed(/http:\S+/);
  await expect.poll(() => find(['m1']), { timeout: 60_000 }).toMatchObject([{ state: 'READY' }]);
  const stored = async (kind: string) => {
    const narrowing = { labels: [], texts: [], isExact: true };
    const rows = await read({ merchants: ['m1'], kind, narrowing, limit: 100_000 });
    return rows.map(({ id }) => id);
  };
  expect(await stored('txn')).toEqual(transactions.map(({ id }) => id));
  expect(await stored('lin')).toEqual(lines.map(({ id }) => id));
  const walked = service.requests.filter(isWalk);
  const again = walked.length - new Set(walked).size;
  expect(again).toBeLessThanOrEqual(kills.length);
  await running.stop();
  await database.close();
});
