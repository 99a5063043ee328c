import { describe, expect, test } from 'vitest';
import { type Environment, explore, type Policy, type Violations } from './money-model.ts';

const POLICIES: Policy[] = ['P0', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6'];
const PARTIAL = { captured: 0, amount: 40 };
const FULL = { captured: 0, amount: 100 };

/** The eight environments, each with a bounded and an unbounded delay. */
const environments: Environment[] = [false, true].flatMap((outside) =>
  [false, true].flatMap((stale) =>
    [false, true].flatMap((unbounded) =>
      [PARTIAL, FULL].map((amounts) => ({ outside, stale, unbounded, ...amounts })),
    ),
  ),
);

/** What the design says must go wrong, and nothing else may. */
function expected(policy: Policy, environment: Environment): Violations {
  const { outside, stale, unbounded, amount } = environment;
  const blind = policy === 'P0' || policy === 'P1' || policy === 'P2';
  return {
    double: amount === PARTIAL.amount && (blind || policy === 'P3'),
    rejectedThoughApplied: blind,
    notAppliedThoughApplied: policy === 'P5' && (stale || unbounded),
    succeededNotOurs: outside && !blind,
    succeededWithoutEntry: false,
  };
}

describe.each(POLICIES)('policy %s', (policy) => {
  test.each(environments)('goes wrong exactly as known with %o', (environment) => {
    const { states, ...violations } = explore(policy, environment);
    expect(states).toBeGreaterThan(30);
    expect(violations).toEqual(expected(policy, environment));
  });
});

describe('our policy with money captured before', () => {
  test.each([0, 10, 20, 30, 60])('%i of 100, and 40 asked for', (captured) => {
    for (const outside of [false, true]) {
      for (const stale of [false, true]) {
        const environment = { outside, stale, unbounded: true, captured, amount: 40 };
        const { double, rejectedThoughApplied } = explore('P6', environment);
        expect({ double, rejectedThoughApplied }).toEqual({
          double: false,
          rejectedThoughApplied: false,
        });
      }
    }
  });
});
