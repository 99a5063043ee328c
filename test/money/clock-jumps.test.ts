import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { given } from '../support/given.ts';
import { startGateway } from '../support/start-stack.ts';
import { loseRequest } from './support/faults.ts';
import { movementInput, submit } from './support/money-client.ts';
import { keepOpen, type OpenedStore, storesWithDatabase } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

const SWEEP_MS = 15_000;
const HOUR = '1 hour';
const MONTH = '36 days';

describe.each(storesWithDatabase)('if the clock of a store in %s is set forward', (_name, open) => {
  let opened: OpenedStore;
  let gateway: ProxiedGateway;
  const reports: string[] = [];
  beforeAll(async () => {
    opened = await open();
    const { money } = readGatewaySettings({ UPSTREAM_MAX_PROCESSING_MS: '60000' });
    gateway = await startProxiedGateway({ store: keepOpen(opened.store), money });
  });
  afterAll(async () => {
    await gateway?.close();
    await opened?.store.close();
  });

  let maintaining: { close(): Promise<void> } | undefined;
  beforeEach(() => {
    gateway.reset();
    reports.length = 0;
  });
  afterEach(async () => {
    vi.useRealTimers();
    await maintaining?.close();
    maintaining = undefined;
  });

  const capture = (input: object) => submit(gateway.ask, 'capture', input);
  const newInput = async () => movementInput(await given(gateway.direct).transaction(1000), 300);

  /** Makes everything that is stored look older, as it does when the clock is set forward. */
  async function setForward(interval: string): Promise<void> {
    await opened.database.query(
      `UPDATE store_clock SET swept_at = swept_at - interval '${interval}'`,
    );
    for (const column of ['created_at', 'sending_at', 'resolved_at']) {
      await opened.database.query(
        `UPDATE money_operation SET ${column} = ${column} - interval '${interval}'`,
      );
    }
    await opened.database.query(
      `UPDATE money_operation_event SET at = at - interval '${interval}'`,
    );
  }

  /** Lets another gateway on the same store sweep. */
  async function sweep(): Promise<void> {
    const { usersUrl, posUrl } = gateway.direct.sandbox;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let swept = false;
    const store = keepOpen(opened.store);
    maintaining = await startGateway({
      store: {
        ...store,
        sweep: async (given) => {
          const result = await store.sweep(given);
          swept = true;
          return result;
        },
      },
      report: (message) => reports.push(message),
      services: { usersUrl, posUrl, paymentsUrl: gateway.proxy.url },
    });
    await vi.advanceTimersByTimeAsync(SWEEP_MS);
    while (!swept) await new Promise((resolve) => setImmediate(resolve));
    vi.useRealTimers();
  }

  test('no key is forgotten, and its repeat pays nothing', async () => {
    const input = await newInput();
    expect((await capture(input)).operation).toMatchObject({ status: 'SUCCEEDED' });
    await opened.store.sweep({ retentionDays: 35, ownMs: 0 });
    await setForward(MONTH);
    await sweep();
    expect((await capture(input)).operation).toMatchObject({
      status: 'SUCCEEDED',
      evidence: 'ANSWERED',
      replayed: true,
    });
    expect(gateway.posts()).toBe(1);
    expect(reports).toEqual([
      expect.stringMatching(/^the clock of the database was set by 31\d\d\d\d\d s; times of money/),
    ]);
  });

  test('time after a sweep that failed, or while the process was stopped, does not count', async () => {
    const { usersUrl, posUrl } = gateway.direct.sandbox;
    const swept: number[] = [];
    let stoppedMs = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { now } = performance;
    const stopping = vi
      .spyOn(performance, 'now')
      .mockImplementation(() => now.call(performance) + stoppedMs);
    maintaining = await startGateway({
      store: {
        ...keepOpen(opened.store),
        sweep: async ({ ownMs }) => {
          swept.push(ownMs);
          if (swept.length === 2) throw new Error('not now');
          return { clockJumpMs: 0, isFull: false };
        },
      },
      services: { usersUrl, posUrl, paymentsUrl: gateway.proxy.url },
    });
    for (const count of [1, 2, 3, 4, 5]) {
      if (count === 5) stoppedMs = 3_600_000;
      await vi.advanceTimersByTimeAsync(SWEEP_MS);
      expect(swept).toHaveLength(count);
    }
    stopping.mockRestore();
    const [first, second, afterFailure, next, afterStop] = swept;
    expect([first, second, afterFailure, next, afterStop]).toEqual([
      SWEEP_MS,
      SWEEP_MS,
      0,
      SWEEP_MS,
      0,
    ]);
  });

  test('nothing is presumed before the longest processing time has passed', async () => {
    const input = await newInput();
    gateway.proxy.onWrite = loseRequest;
    expect((await capture(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    await setForward(HOUR);
    await sweep();
    expect((await capture(input)).operation).toMatchObject({ status: 'UNKNOWN', evidence: null });
    expect(gateway.posts()).toBe(1);
    // An hour that was measured, and not set.
    await opened.database.query('UPDATE store_clock SET elapsed = elapsed + 3600000');
    expect((await capture(input)).operation).toMatchObject({
      status: 'NOT_APPLIED',
      evidence: 'PRESUMED',
    });
  });
});
