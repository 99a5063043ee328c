import { expect, inject, test } from 'vitest';
import { startProcess } from '../support/process.ts';

const SCENARIOS = 10;
const CONTESTANTS = 3;

test('the gateway, a handler without GraphQL and plain Yoga answer the benchmark equally', async () => {
  const args = ['node_modules/tsx/dist/cli.mjs', 'bench/bench.ts', '--check', '--no-build'];
  const env = { BENCH_POSTGRES_URL: inject('postgresUrl') };
  const { code, stdout, stderr } = await startProcess(process.execPath, args, { env }).ended;
  expect(code, stdout + stderr).toBe(0);
  expect(stdout.match(/^.+: ok$/gm)).toHaveLength(SCENARIOS * CONTESTANTS);
});
