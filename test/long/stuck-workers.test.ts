import { expect, test } from 'vitest';
import { startWorkers, workersOf } from '../support/workers.ts';

test('a worker that stands still does not keep the program from stopping', async () => {
  const { program } = await startWorkers({ DRAIN_MS: '1000', UPSTREAM_WRITE_MS: '1000' });
  process.kill(workersOf(program)[0] ?? 0, 'SIGSTOP');
  const { code, stderr } = await program.stop('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toContain('A worker has not stopped within 12200 ms, so it is ended.');
});
