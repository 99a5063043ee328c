import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { createReplicaStore } from '../../src/gateway/replica/store/replica-store.ts';
import { type LedgerService, startLedgerService } from '../gateway/search/ledger-service.ts';
import { HOUR, plain, START, toWire } from '../gateway/search/payment-model.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { startProcess } from '../support/process.ts';
import { patientSettings, projectFolder } from '../support/program.ts';
import { openPostgres } from './kill-storage.ts';

// A gateway is killed again and again while it copies a merchant. The copy must continue.

interface Kill {
  /** Which page of a walk, counted from the start of the process. */
  readonly page: number;
  /**
   * The point, counted from the request for the page: each message to PostgreSQL has one before it
   * and one after it. Undefined if the request is not answered.
   */
  readonly point: number | undefined;
}

/** More than there are until a page is stored, and the next one is requested. */
const POINTS = 30;
const kills: readonly Kill[] =
  inject('scale') === 1
    ? [1, 2].flatMap((page) => [undefined, page, 4, 9].map((point) => ({ page, point })))
    : [1, 2, 3].flatMap((page) =>
        [undefined, ...Array(POINTS).keys()].map((point) => ({ page, point })),
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
  const storage = await openPostgres();
  onTestFinished(storage.close);
  const { find, read } = createReplicaStore(storage.database);
  const start = () =>
    startProcess(process.execPath, ['bin/gateway.js'], {
      cwd: projectFolder,
      env: {
        ...{ ...patientSettings, ...storage.settings },
        ...{ USERS_URL: service.url, PAYMENTS_URL: service.url, POS_URL: service.url },
        ...{ PORT: '0', PAYMENTS_API_KEY: 'any-key' },
        ...{ SYNC_CALLS_PER_S: '10000', LOG_LEVEL: 'warn' },
      },
    });
  for (const { page, point } of kills) {
    const running = start();
    let seen = 0;
    const killed = new Promise<void>((resolve) => {
      service.onRead = async (forward, response, request) => {
        const isLast = isWalk(`${request.method} ${request.url}`) && ++seen === page;
        if (isLast && point === undefined) return resolve(running.stop('SIGKILL').then(() => {}));
        if (isLast) resolve(storage.kill(running, point ?? 0));
        const { status, type, body } = await forward();
        response.writeHead(status, { 'content-type': type }).end(body);
      };
    });
    await killed;
    await storage.release();
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
});
