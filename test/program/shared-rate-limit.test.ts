import { Agent } from 'node:http';
import { expect, test } from 'vitest';
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

test('two gateways on one PostgreSQL grant together exactly what one app may use', async () => {
  const url = await preparedPostgres();
  const settings = {
    DATA_DIR: emptyFolder(),
    DATABASE_URL: url,
    SANDBOX_DATABASE_URL: url,
    RATE_LIMIT_PER_MINUTE: String(PER_MINUTE),
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
  // A machine that is very slow may begin another minute meanwhile.
  const minutes = 1 + Math.floor((performance.now() - start) / 60_000);
  const sum = granted.reduce((one, other) => one + other);
  expect(Math.min(...granted)).toBeGreaterThan(0);
  expect(sum).toBeGreaterThanOrEqual(PER_MINUTE);
  expect(sum).toBeLessThanOrEqual(PER_MINUTE * minutes);
  for (const { stderr } of [await second.stop(), await first.stop()]) {
    expect(stderr).not.toContain('counts alone');
  }
});
