import { expect, test } from 'vitest';
import { createClient, openServices } from './support/gateway-programs.ts';
import { failed, p99, reasons, sendAtRate } from './support/traffic.ts';

/** `RESTARTS=2` makes a short run. */
const RESTARTS = Number(process.env.RESTARTS ?? 10);
const PER_SECOND = 200;
const DRAIN_DELAY_MS = 1_000;

test(`${RESTARTS} rolling restarts of two workers fail none of ${PER_SECOND} requests a second, half of them on new connections`, async () => {
  const start = await openServices();
  const program = await start({ WORKERS: '2', DRAIN_DELAY_MS: String(DRAIN_DELAY_MS) });
  const restarts = async () => {
    for (let count = 1; count <= RESTARTS; count++) {
      process.kill(program.pid, 'SIGHUP');
      await program.reported(new RegExp(`(All 2 workers were replaced[^]*){${count}}`));
    }
  };
  const done = restarts();
  const half = [createClient(program.url), createClient(program.url, false)].map((client) =>
    sendAtRate(client, PER_SECOND / 2, done),
  );
  const sent = (await Promise.all(half)).flat();
  console.info(
    `${sent.length} requests, p99 ${p99(sent).toFixed(1)} ms, ${failed(sent).length} failed`,
  );
  const { code, stderr } = await program.stop('SIGTERM');
  expect(reasons(sent), stderr).toEqual({});
  expect(sent.length).toBeGreaterThan(RESTARTS * PER_SECOND);
  expect(code).toBe(0);
});
