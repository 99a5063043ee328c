import { expect, test, vi } from 'vitest';
import { simulate } from './simulation.ts';

// Only here, to see that the simulation would notice: a guard that proves nothing.
vi.mock('../../src/gateway/operation/guard.ts', () => ({ twoCannotBothApply: () => true }));

test('without the guard a world in 1,000 captures twice', async () => {
  const wrong: string[] = [];
  for (let seed = 1; seed <= 1_000 && wrong.length === 0; seed++)
    wrong.push(...(await simulate(seed)));
  expect(wrong.join('; ')).toMatch(/applied 2 times/);
});
