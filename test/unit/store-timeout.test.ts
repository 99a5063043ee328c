import { expect, test } from 'vitest';
import {
  StoreUnavailableError,
  type StoreUse,
  watchStore,
} from '../../src/gateway/money/store/watch-store.ts';
import { createVirtualTime } from '../money/simulation/virtual-time.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';

const LEASE_MS = 30_000;

test('the gateway waits two seconds for its store', async () => {
  const time = createVirtualTime();
  const never = () => new Promise<never>(() => {});
  const uses: StoreUse[] = [];
  const store = watchStore({ ...createMemoryStore(time.now, LEASE_MS), list: never }, time, {
    onStoreUse: (use) => uses.push(use),
  });
  const failure = store.list(true, 1).catch((error) => ({ error, at: time.now() }));
  await time.run();
  expect(await failure).toEqual({ error: expect.any(StoreUnavailableError), at: 2_000 });
  await store.listUnknown(undefined, 1);
  expect(uses).toEqual([
    { ms: 2_000, failed: true },
    { ms: 0, failed: false },
  ]);
});

test('what fails in the store is the cause of the error', async () => {
  const time = createVirtualTime();
  const cause = new Error('broken');
  const broken = { ...createMemoryStore(time.now, LEASE_MS), list: () => Promise.reject(cause) };
  await expect(watchStore(broken, time).list(true, 1)).rejects.toMatchObject({ cause });
});
