import { expect, test } from 'vitest';
import { type Environment, exploreTwoGateways } from './models/two-gateways-model.ts';

const either = [false, true];
const environments: Environment[] = either.flatMap((outside) =>
  either.flatMap((stale) =>
    [40, 100].flatMap((amount) =>
      [0, 60].map((ignoredVoids) => ({
        outside,
        stale,
        amount,
        ignoredVoids,
        fencing: true,
        countsIgnoredVoids: false,
      })),
    ),
  ),
);

test.each(environments)(
  'two gateways never apply an operation twice or reject it after it was applied, with %o',
  (environment) => {
    const { double, rejectedThoughApplied, states } = exploreTwoGateways(environment);
    expect(states).toBeGreaterThan(100);
    expect({ double, rejectedThoughApplied }).toEqual({
      double: false,
      rejectedThoughApplied: false,
    });
  },
);

const simplest: Environment = {
  outside: false,
  stale: false,
  amount: 100,
  ignoredVoids: 0,
  fencing: true,
  countsIgnoredVoids: false,
};

test('without fencing the rejection of an old POST replaces the success of a newer one', () => {
  expect(exploreTwoGateways({ ...simplest, fencing: false }).rejectedThoughApplied).toBe(true);
});

test('a guard that counts voids which the service ignores lets an operation apply twice', () => {
  const environment = { ...simplest, amount: 40, ignoredVoids: 60 };
  expect(exploreTwoGateways(environment).double).toBe(false);
  expect(exploreTwoGateways({ ...environment, countsIgnoredVoids: true }).double).toBe(true);
});
