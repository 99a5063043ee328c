import { expect, test } from 'vitest';
import { exploreTwo, type TwoGateways } from './two-gateways-model.ts';

const environments: TwoGateways[] = [false, true].flatMap((outside) =>
  [false, true].flatMap((stale) =>
    [40, 100].flatMap((amount) =>
      [0, 60].map((ignoredVoids) => ({
        outside,
        stale,
        amount,
        ignoredVoids,
        fencing: true,
        credulousGuard: false,
      })),
    ),
  ),
);

test.each(environments)(
  'two gateways on one row neither double nor deny with %o',
  (environment) => {
    const { double, rejectedThoughApplied, states } = exploreTwo(environment);
    expect(states).toBeGreaterThan(100);
    expect({ double, rejectedThoughApplied }).toEqual({
      double: false,
      rejectedThoughApplied: false,
    });
  },
);

const plain: TwoGateways = {
  outside: false,
  stale: false,
  amount: 100,
  ignoredVoids: 0,
  fencing: true,
  credulousGuard: false,
};

test('without fencing a rejection of an old POST denies what a newer one did', () => {
  expect(exploreTwo({ ...plain, fencing: false }).rejectedThoughApplied).toBe(true);
});

test('a guard that counts voids the service ignores captures twice', () => {
  const environment = { ...plain, amount: 40, ignoredVoids: 60 };
  expect(exploreTwo(environment).double).toBe(false);
  expect(exploreTwo({ ...environment, credulousGuard: true }).double).toBe(true);
});
