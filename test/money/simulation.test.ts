import { expect, test } from 'vitest';
import { simulate } from './simulation.ts';

const SEEDS = Number(process.env.MONEY_SEEDS ?? 10_000);
const FIRST = Number(process.env.MONEY_SEED ?? 1);

/** The first seed, of so many, in which something went wrong. */
async function firstFailure(seeds: number, sabotage = {}): Promise<string | undefined> {
  for (let seed = FIRST; seed < FIRST + seeds; seed++) {
    const wrong = await simulate(seed, sabotage);
    if (wrong.length > 0) return `MONEY_SEED=${seed}: ${wrong.join('; ')}`;
  }
  return undefined;
}

test(`${SEEDS} simulated worlds keep every guarantee`, async () => {
  expect(await firstFailure(SEEDS)).toBeUndefined();
});

test('a gateway that never looks back fails within 1,000 worlds', async () => {
  expect(await firstFailure(1_000, { blind: true })).toMatch(/known by itself/);
});
