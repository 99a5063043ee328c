import { expect, inject, test } from 'vitest';
import { firstFailure } from './simulation.ts';

const SEEDS = Number(process.env.MONEY_SEEDS ?? 2_000 * inject('scale'));
const FIRST = Number(process.env.MONEY_SEED ?? 1);

test(`${SEEDS} simulated worlds keep every guarantee`, async () => {
  expect(await firstFailure(FIRST, SEEDS)).toBeUndefined();
});

test('a gateway that never looks back fails within 1,000 worlds', async () => {
  expect(await firstFailure(FIRST, 1_000, { blind: true })).toMatch(/known by itself/);
});
