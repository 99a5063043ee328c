import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { openServer } from '../../src/database/server.ts';
import { post } from '../support/flood.ts';
import { emptyFolder, type Program, startProgram } from '../support/program.ts';
import { preparedPostgres } from '../support/storage.ts';

const PER_MINUTE = 1_200;
const AT_ONCE = 20;

/** Sends the cheapest query until the gateway rejects it, and returns how often it did not. */
async function useUp({ url, demoKey }: Program): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const sent = {
    headers: { authorization: `Bearer ${demoKey}` },
    body: JSON.stringify({ query: '{ viewer { rawId } }' }),
  };
  let granted = 0;
  const send = async () => {
    for (;;) {
      const { status } = await post(`${url}/graphql`, agent, sent);
      if (status === 429) return;
      expect(status).toBe(200);
      granted++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  agent.destroy();
  return granted;
}

test('two gateways on one PostgreSQL grant together what one app may use, to 2 %', async () => {
  const url = await preparedPostgres();
  const settings = {
    DATA_DIR: emptyFolder(),
    DATABASE_URL: url,
    SANDBOX_DATABASE_URL: url,
    RATE_LIMIT_PER_MINUTE: String(PER_MINUTE),
    RATE_LIMIT_SHARED: 'on',
  };
  const first = await startProgram(settings);
  const second = await startProgram({
    ...settings,
    DATA_DIR: emptyFolder(),
    USERS_URL: first.usersUrl,
    PAYMENTS_URL: first.paymentsUrl,
    POS_URL: first.posUrl,
  });
  const start = performance.now();
  const granted = await Promise.all([useUp(first), useUp({ ...second, demoKey: first.demoKey })]);
  const earned = ((performance.now() - start) * PER_MINUTE) / 60_000;
  const sum = granted.reduce((one, other) => one + other);
  expect(Math.min(...granted)).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual((PER_MINUTE + earned) * 1.02);
  // A request may have been rejected some milliseconds before the end.
  expect(sum).toBeGreaterThanOrEqual(PER_MINUTE * 0.98);

  // As if the clock of the database was set back by an hour: nobody owes what an hour earns.
  const database = await openServer(url);
  await database.query(`UPDATE rate_account SET at = at + interval '1 hour'`);
  await database.close();
  await expect.poll(() => useUp(first)).toBeGreaterThan(0);

  for (const { stderr } of [await second.stop(), await first.stop()]) {
    expect(stderr).not.toContain('counts alone');
  }
});
