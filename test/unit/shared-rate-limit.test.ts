import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/gateway/protect/rate-limit.ts';
import { createSharedRateLimit } from '../../src/gateway/protect/shared-rate-limit.ts';

const PER_MINUTE = 1_000;
/** What each process may keep of the minute's points. */
const KEPT = 0.005 * PER_MINUTE;

/** Accounts in memory, which can be out of reach. */
function createAccounts(now: () => number) {
  const known = new Map<string, { points: number; at: number }>();
  const state = { isDown: false, takes: 0 };
  return {
    state,
    forget: async () => {},
    take: async (
      owner: string,
      { needed, wanted, perMinute }: Record<'needed' | 'wanted' | 'perMinute', number>,
    ) => {
      state.takes++;
      if (state.isDown) throw new Error('out of reach');
      const { points, at } = known.get(owner) ?? { points: perMinute, at: now() };
      const earned = Math.min(perMinute, points + ((now() - at) * perMinute) / 60_000);
      const taken = earned >= needed ? Math.min(earned, wanted) : 0;
      known.set(owner, { points: earned - taken, at: now() });
      return { taken, left: earned - taken };
    },
  };
}

const step = fc.record({
  process: fc.nat(1),
  owner: fc.constantFrom('a', 'b'),
  points: fc.integer({ min: 1, max: 60 }),
  ms: fc.nat(400),
});

test('two processes grant what one would, but for what each keeps', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
      let time = 0;
      const now = () => time;
      const accounts = createAccounts(now);
      const processes = [0, 1].map(() =>
        createSharedRateLimit(PER_MINUTE, accounts, now, () => {}),
      );
      const granted = new Map<string, number>();
      for (const { process, owner, points, ms } of steps) {
        time += ms;
        const taken = await processes[process]?.take(owner, points);
        if (taken?.isGranted) granted.set(owner, (granted.get(owner) ?? 0) + points);
        else expect(taken?.retryAfterMs).toBeGreaterThan(0);
      }
      for (const sum of granted.values()) {
        expect(sum).toBeLessThanOrEqual(PER_MINUTE + (time * PER_MINUTE) / 60_000 + 2 * KEPT);
      }
    }),
    { numRuns: 200 },
  ));

test('few requests wait for the accounts', async () => {
  const accounts = createAccounts(() => 0);
  const limit = createSharedRateLimit(
    PER_MINUTE,
    accounts,
    () => 0,
    () => {},
  );
  for (let count = 0; count < 500; count++) expect((await limit.take('a', 1)).isGranted).toBe(true);
  expect(accounts.state.takes).toBe(500 / KEPT);
});

test('while the accounts are out of reach, the process counts alone, and says so once', async () => {
  let time = 0;
  const now = () => time;
  const accounts = createAccounts(now);
  const messages: string[] = [];
  const limit = createSharedRateLimit(PER_MINUTE, accounts, now, (message) =>
    messages.push(message),
  );
  const alone = createRateLimit(PER_MINUTE, now);
  accounts.state.isDown = true;
  for (let count = 0; count < 30; count++) {
    expect(await limit.take('a', 50)).toEqual(alone.take('a', 50));
  }
  expect(accounts.state.takes).toBe(1);
  expect(messages).toEqual(['RATE_LIMIT_SHARED: each gateway counts alone for now']);
  accounts.state.isDown = false;
  time += 5_000;
  expect(await limit.take('a', 50)).toEqual({ isGranted: true, left: 950, retryAfterMs: 0 });
});

test('a process counts alone soon if the accounts do not respond', async () => {
  const reports: string[] = [];
  const silent = { take: () => new Promise<never>(() => {}), forget: async () => {} };
  const limit = createSharedRateLimit(
    PER_MINUTE,
    silent,
    () => performance.now(),
    (message) => reports.push(message),
  );
  expect(await limit.take('a', 1)).toMatchObject({ isGranted: true, left: PER_MINUTE - 1 });
  expect(reports).toEqual(['RATE_LIMIT_SHARED: each gateway counts alone for now']);
});
