import { expect, inject, test } from 'vitest';
import { startSandbox, type TestSandbox } from '../../src/sandbox/testing/start.ts';
import { rest } from '../support/rest.ts';
import { EUR_MERCHANT } from './subject.ts';

/** 50 in the long tests. */
const SANDBOXES = inject('scale') === 1 ? 3 : 50;

test(`${SANDBOXES} sandboxes in one process, each reset and snapshotted, never see each other`, async () => {
  const sandboxes: TestSandbox[] = [];
  const ms = { start: [] as number[], reset: [] as number[], snapshot: [] as number[] };
  const before = process.memoryUsage().rss;
  const timed = async <T>(list: number[], work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    list.push(Math.round(performance.now() - start));
    return result;
  };
  for (let count = 0; count < SANDBOXES; count++) {
    sandboxes.push(await timed(ms.start, () => startSandbox()));
  }
  const used = Math.round((process.memoryUsage().rss - before) / 1e6);
  expect(new Set(sandboxes.map(({ app }) => app.key)).size).toBe(SANDBOXES);
  await Promise.all(
    sandboxes.map(async (sandbox, index) => {
      const users = rest(sandbox.usersUrl);
      const name = `User of ${index}`;
      await users.post('/users', { name, email: 'a@b.example', address: '' });
      await sandbox.pay({ merchantId: EUR_MERCHANT, amount: 1_000 + index });
      await sandbox.clock.advance({ ms: index * 1_000 });
      await sandbox.snapshots.take(`mine-${index}`);
      await sandbox.reset({ to: index % 2 === 0 ? 'demo' : 'empty' });
      await sandbox.reset({ to: { snapshot: `mine-${index}` } });
      await sandbox.faults.add({ kind: 'status', status: 500 + index, route: '/me' });
    }),
  );
  await Promise.all(
    sandboxes.map(async (sandbox, index) => {
      const users = (await rest(sandbox.usersUrl).get('/users')).body;
      const own = users.filter((user: { name: string }) => user.name.startsWith('User of'));
      expect(own.map((user: { name: string }) => user.name)).toEqual([`User of ${index}`]);
      const payments = rest(sandbox.paymentsUrl, sandbox.app.key);
      const path = `/merchants/${EUR_MERCHANT}/transactions?limit=1`;
      expect((await payments.get(path)).body[0].amount).toBe(1_000 + index);
      expect((await payments.get('/me')).status).toBe(500 + index);
      expect((await sandbox.snapshots.list()).map(({ name }) => name)).toEqual([`mine-${index}`]);
      const other = sandboxes[(index + 1) % SANDBOXES]?.app.key;
      expect((await rest(sandbox.paymentsUrl, other).get(path)).status).toBe(401);
    }),
  );
  for (const sandbox of sandboxes) {
    await timed(ms.snapshot, () => sandbox.snapshots.take('again'));
    await timed(ms.reset, () => sandbox.reset());
  }
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length >> 1];
  console.log(
    `${SANDBOXES} sandboxes: first start ${ms.start[0]} ms, later ${median(ms.start.slice(1))} ms, reset ${median(ms.reset)} ms, snapshot ${median(ms.snapshot)} ms, memory ${used} MB`,
  );
});
