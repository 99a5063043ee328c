import { expect, test } from 'vitest';
import { createSearchBudget } from '../../src/gateway/search/search-budget.ts';

test('statements of one request run one after another, and not after ten seconds of them', async () => {
  let now = 0;
  const { inTurn } = createSearchBudget(1, new Date(), () => now);
  const running = new Set<number>();
  const run = (index: number) =>
    inTurn(async () => {
      expect(running.size).toBe(0);
      running.add(index);
      await Promise.resolve();
      now += 6_000;
      running.delete(index);
      // One that fails took its time, too.
      if (index === 0) throw new Error('failed');
      return index;
    });
  const results = await Promise.allSettled([0, 1, 2].map(run));
  expect(results).toMatchObject([
    { reason: { message: 'failed' } },
    { value: 1 },
    { reason: { failure: 'limit' } },
  ]);
});
