import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const GUARD = '../../src/gateway/operation/guard.ts';

// Proves that the simulation notices a guard that allows every second POST of a movement.
beforeAll(() => {
  vi.resetModules();
  vi.doMock(GUARD, () => ({ twoCannotBothApply: (kind: string) => kind !== 'CREATE' }));
});
afterAll(() => {
  vi.doUnmock(GUARD);
  vi.resetModules();
});

test('within 1,000 runs a gateway without the conservation guard applies an operation twice', async () => {
  const { firstViolation } = await import('./simulation/simulation.ts');
  expect(await firstViolation(1, 1_000)).toMatch(/applied 2 times/);
});
