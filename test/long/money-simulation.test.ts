import { expect, test } from 'vitest';
import { withoutRelief } from '../money/simulation/flaws.ts';
import { countOutcomes, type Outcomes } from '../money/simulation/outcomes.ts';
import { firstViolation } from '../money/simulation/simulation.ts';

const FIXED_SEEDS = 20_000;
const NEW_SEEDS = 100_000;
const COUNTED_SEEDS = 10_000;
/** Other seeds every day. */
const FIRST_NEW = 1_000_000 + (Date.now() % 1_000_000_000);

test(`the first ${FIXED_SEEDS} simulated runs keep every guarantee`, async () => {
  expect(await firstViolation(1, FIXED_SEEDS)).toBeUndefined();
});

test(`${NEW_SEEDS} simulated runs with new seeds keep every guarantee`, async () => {
  expect(await firstViolation(FIRST_NEW, NEW_SEEDS)).toBeUndefined();
});

test('proof, one lock for each kind, and a repost that is given back leave less than a third of the movements of a used-up transaction unknown', async () => {
  const [now, before] = [
    await countOutcomes(1, COUNTED_SEEDS),
    await countOutcomes(1, COUNTED_SEEDS, withoutRelief),
  ];
  console.table({
    'all operations': compare(now.all, before.all),
    'movements, true responses': compare(now.movements, before.movements),
    'of these, used-up transactions': compare(now.usedUp, before.usedUp),
  });
  expect(3 * now.usedUp.unknown).toBeLessThan(before.usedUp.unknown);
  expect(now.movements.unknown).toBeLessThan(before.movements.unknown);
  expect(now.all.unknown).toBeLessThan(before.all.unknown);
});

function compare(now: Outcomes, before: Outcomes) {
  const { keys, unknown, blocked } = now;
  return {
    keys,
    unknown,
    blocked,
    'unknown without': before.unknown,
    'blocked without': before.blocked,
    share: (unknown / before.unknown).toFixed(2),
  };
}
