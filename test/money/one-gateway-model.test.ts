import { describe, expect, test } from 'vitest';
import {
  type Environment,
  explore,
  type Policy,
  policies,
  type Violations,
} from './models/one-gateway-model.ts';

const PARTIAL = { captured: 0, amount: 40 };
const COMPLETE = { captured: 0, amount: 100 };
const either = [false, true];

/** The eight environments, each with a partial and a complete capture. */
const environments: Environment[] = either.flatMap((outside) =>
  either.flatMap((stale) =>
    either.flatMap((unbounded) =>
      [PARTIAL, COMPLETE].map((amounts) => ({ outside, stale, unbounded, ...amounts })),
    ),
  ),
);

/** What goes wrong under a policy according to the design; nothing else may. */
function expectedViolations(policy: Policy, environment: Environment): Violations {
  const { outside, stale, unbounded, amount } = environment;
  const neverReads = policy === 'P0' || policy === 'P1' || policy === 'P2';
  return {
    double: amount === PARTIAL.amount && (neverReads || policy === 'P3'),
    rejectedThoughApplied: neverReads,
    notAppliedThoughApplied: policy === 'P5' && (stale || unbounded),
    succeededByAnother: outside && !neverReads,
    succeededWithoutEntry: false,
  };
}

describe.each(policies)('policy %s', (policy) => {
  test.each(environments)('goes wrong exactly as expected with %o', (environment) => {
    const { states, ...violations } = explore(policy, environment);
    expect(states).toBeGreaterThan(30);
    expect(violations).toEqual(expectedViolations(policy, environment));
  });
});

test.each([0, 10, 20, 30, 60])(
  'policy P6 never captures 40 of 100 twice, and never rejects what was applied, after a capture of %i',
  (captured) => {
    for (const outside of either) {
      for (const stale of either) {
        const environment = { outside, stale, unbounded: true, captured, amount: 40 };
        const { double, rejectedThoughApplied } = explore('P6', environment);
        expect({ double, rejectedThoughApplied }).toEqual({
          double: false,
          rejectedThoughApplied: false,
        });
      }
    }
  },
);
