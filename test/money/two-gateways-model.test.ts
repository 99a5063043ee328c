import { expect, test } from 'vitest';
import {
  allRules,
  type Environment,
  exploreTwoGateways,
  type Rules,
  type Violations,
} from './models/two-gateways-model.ts';

const either = [false, true];
const NO_VIOLATIONS: Violations = {
  double: false,
  rejectedThoughApplied: false,
  notSentThoughApplied: false,
  notAppliedThoughApplied: false,
};

/** Nothing is promised for lying responses and stale reads at once. */
const reliabilities = [
  { stale: false, lies: false },
  { stale: true, lies: false },
  { stale: false, lies: true },
];
const environments: Environment[] = either.flatMap((outside) =>
  reliabilities.flatMap((reliability) =>
    [
      { amount: 40, ignoredVoids: 0 },
      { amount: 40, ignoredVoids: 60 },
      { amount: 100, ignoredVoids: 0 },
    ].map((amounts) => ({ outside, ...reliability, ...amounts })),
  ),
);

test.each(environments)(
  'two gateways apply an operation at most once, and return no outcome that is false, with %o',
  (environment) => {
    const { violations, states } = exploreTwoGateways(environment);
    expect(states).toBeGreaterThan(1_000);
    expect(violations).toEqual(NO_VIOLATIONS);
  },
);

const PARTIAL = { amount: 40 };
const COMPLETE = { amount: 100 };

test.each<[keyof Rules, Partial<Environment>, Partial<Violations>]>([
  ['fencing', PARTIAL, { double: true, notSentThoughApplied: true }],
  ['fencing', { ...COMPLETE, stale: true }, { rejectedThoughApplied: true }],
  ['ignoresIgnoredVoids', { ...PARTIAL, ignoredVoids: 60 }, { double: true }],
  ['clearsResponse', PARTIAL, { double: true, notSentThoughApplied: true }],
  ['clearsResponse', { ...COMPLETE, stale: true }, { rejectedThoughApplied: true }],
  ['recordsResponseOnce', COMPLETE, { notSentThoughApplied: true }],
])('without the rule %s, two gateways go wrong with %o: %o', (rule, changes, expected) => {
  const simplest = { outside: false, stale: false, lies: false, ignoredVoids: 0 };
  const environment = { ...simplest, ...PARTIAL, ...changes };
  const { violations } = exploreTwoGateways(environment, { ...allRules, [rule]: false });
  expect(violations).toMatchObject(expected);
});
