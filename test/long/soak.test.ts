import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startProgram, usedPostgres } from '../support/program.ts';
import { patient } from './support/gateway-programs.ts';
import { failed, p99, reasons, sendAtRate } from './support/traffic.ts';
import { createVisitor } from './support/visitor.ts';

/** `SOAK_MINUTES=3` makes a short run. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const PER_SECOND = 50;
const SAMPLE_EVERY_MS = 2_000;
const HEAP_MB = 256;

/** Memory of a process, in MiB. */
function memoryOf(pid: number): number {
  return (
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Reads the memory of a process again and again. Returns the means of the three thirds. */
async function sample(pid: number, minutes: number): Promise<number[]> {
  const samples: number[] = [];
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    await sleep(SAMPLE_EVERY_MS);
    samples.push(memoryOf(pid));
  }
  const third = Math.floor(samples.length / 3);
  return [0, 1, 2].map((at) => mean(samples.slice(at * third, (at + 1) * third)));
}

test(`a gateway that works for ${MINUTES} minutes with a heap of ${HEAP_MB} MB fails no request and does not grow`, async () => {
  const storage = await usedPostgres();
  const { usersUrl, paymentsUrl, posUrl, demoKey } = await startProgram(storage);
  const gateway = await startProgram({
    ...storage,
    ...patient,
    USERS_URL: usersUrl,
    PAYMENTS_URL: paymentsUrl,
    POS_URL: posUrl,
    USERS_ACCESS: '*',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  });
  const memory = sample(gateway.pid, MINUTES);
  const sent = await sendAtRate(createVisitor(gateway.url, demoKey), PER_SECOND, memory);
  const [first = 0, second = 0, last = 0] = await memory;
  console.info(
    `${sent.length} requests, p99 ${p99(sent).toFixed(1)} ms, ${failed(sent).length} failed; memory in the thirds: ` +
      [first, second, last].map((mib) => `${mib.toFixed(1)} MiB`).join(', '),
  );
  expect(reasons(sent)).toEqual({});
  expect(last).toBeLessThanOrEqual(second * 1.05);
  expect((await gateway.stop()).stderr).toBe('');
});
