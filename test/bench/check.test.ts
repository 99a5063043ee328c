import { expect, inject, test } from 'vitest';
import { startProcess } from '../support/process.ts';

const SCENARIOS = 10;
/** What answers besides the records that answers are compared with: all in the long tests. */
const contestants = inject('scale') === 1 ? ['tillgraph'] : ['tillgraph', 'hand-written', 'yoga'];

test(`${contestants.join(', ')} answer the benchmark as the records say, with the calls that they need`, async () => {
  const args = ['bench/bench.ts', '--check'];
  const env = { BENCH_POSTGRES_URL: inject('postgresUrl') };
  const all = [...args, ...contestants];
  const { code, stdout, stderr } = await startProcess(process.execPath, all, { env }).ended;
  expect(code, stdout + stderr).toBe(0);
  expect(stdout.match(/^.+: ok$/gm)).toHaveLength(SCENARIOS * contestants.length);
});
