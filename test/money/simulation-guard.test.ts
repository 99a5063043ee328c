import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const guard = '../../src/gateway/operation/guard.ts';

// Only here, to see that the simulation would notice: a guard that proves nothing.
beforeAll(() => {
  vi.resetModules();
  vi.doMock(guard, () => ({ twoCannotBothApply: (kind: string) => kind !== 'CREATE' }));
});
afterAll(() => {
  vi.doUnmock(guard);
  vi.resetModules();
});

test('without the guard a world in 1,000 captures twice', async () => {
  const { firstFailure } = await import('./simulation.ts');
  expect(await firstFailure(1, 1_000)).toMatch(/applied 2 times/);
});
