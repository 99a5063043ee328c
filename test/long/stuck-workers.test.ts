import { expect, test } from 'vitest';
import { NAME, send, startWorkers, workersOf } from '../support/workers.ts';

test('a worker that stands still is ended after 30 seconds, and another one takes its place', async () => {
  const { program } = await startWorkers();
  const [stuck = 0] = workersOf(program);
  process.kill(stuck, 'SIGSTOP');
  await program.reported(/A worker has not responded for 30 seconds, so it is ended\./);
  await program.reported(/Worker \d ended \(SIGKILL\)\. Another one takes its place\./);
  await expect.poll(() => workersOf(program).length).toBe(2);
  expect(workersOf(program)).not.toContain(stuck);
  for (let count = 0; count < 4; count++) expect(await send(program)).toMatchObject(NAME);
  expect(await program.stop()).toMatchObject({ code: 0, signal: null });
});

test('a worker that stands still does not keep the program from stopping', async () => {
  const { program } = await startWorkers({ DRAIN_MS: '1000', UPSTREAM_WRITE_MS: '1000' });
  process.kill(workersOf(program)[0] ?? 0, 'SIGSTOP');
  const { code, stderr } = await program.stop('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toContain('A worker has not stopped within 12200 ms, so it is ended.');
});
