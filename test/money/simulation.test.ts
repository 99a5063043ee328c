import { expect, test } from 'vitest';
import { firstViolation } from './simulation/simulation.ts';

/** More seeds are in `npm run test:long`. */
const SEEDS = Number(process.env.MONEY_SEEDS ?? 2_000);
const FIRST = Number(process.env.MONEY_SEED ?? 1);

test(`${SEEDS} simulated runs keep every guarantee`, async () => {
  expect(await firstViolation(FIRST, SEEDS)).toBeUndefined();
});

test('within 1,000 runs a gateway that finds no effects breaks a guarantee', async () => {
  expect(await firstViolation(FIRST, 1_000, { findsNothing: true })).toMatch(
    /was certainly applied, but is/,
  );
});

test('within 1,000 runs a gateway without the conservation guard applies an operation twice', async () => {
  expect(await firstViolation(1, 1_000, { guardsNothing: true })).toMatch(/was applied 2 times/);
});
