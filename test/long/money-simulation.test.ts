import { expect, test } from 'vitest';
import { firstViolation } from '../money/simulation/simulation.ts';

const FIXED_SEEDS = 10_000;
const NEW_SEEDS = 100_000;
/** Other seeds every day. */
const FIRST_NEW = 1_000_000 + (Date.now() % 1_000_000_000);

test(`the first ${FIXED_SEEDS} simulated runs keep every guarantee`, async () => {
  expect(await firstViolation(1, FIXED_SEEDS)).toBeUndefined();
});

test(`${NEW_SEEDS} simulated runs with new seeds keep every guarantee`, async () => {
  expect(await firstViolation(FIRST_NEW, NEW_SEEDS)).toBeUndefined();
});
