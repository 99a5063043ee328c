import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRetryAfter } from '../../src/gateway/upstream/read-content.ts';
import { createRetryBudget } from '../../src/gateway/upstream/repeat-read.ts';

test('repeats never exceed a fifth of the reads plus ten for each second', () => {
  const step = fc.record({ reads: fc.nat(50), repeats: fc.nat(50), ms: fc.nat(2_500) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      let time = 0;
      const budget = createRetryBudget({ ratio: 0.2, perSecond: 10 }, () => time);
      let [reads, taken] = [0, 0];
      for (const { ms, reads: newReads, repeats } of steps) {
        time += ms;
        for (let count = 0; count < newReads; count++) budget.earn();
        reads += newReads;
        for (let count = 0; count < repeats; count++) if (budget.take()) taken++;
        // Seconds that have begun.
        expect(taken).toBeLessThanOrEqual(reads * 0.2 + 10 * (Math.floor(time / 1_000) + 1));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('what is not used is lost after ten seconds', () => {
  let time = 0;
  const budget = createRetryBudget({ ratio: 0.2, perSecond: 0 }, () => time);
  for (let count = 0; count < 10; count++) budget.earn();
  time = 9_000;
  expect(budget.take()).toBe(true);
  time = 10_000;
  expect(budget.take()).toBe(false);
});

const NOW = Date.parse('2026-11-22T10:00:00Z');
test.each([
  ['0', 0],
  ['120', 120_000],
  ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026-11-22', undefined],
  [undefined, undefined],
  [['1', '2'], undefined],
])('Retry-After: %j is %j milliseconds', (header, expected) => {
  expect(readRetryAfter(header, NOW)).toBe(expected);
});
