import { describe, expect, test } from 'vitest';
import { type Environment, explore, type Violations } from './models/one-gateway-model.ts';
import { allRules, type Policy, policies, type Rules } from './models/policies.ts';

const PARTIAL = { captured: 0, amount: 40 };
const COMPLETE = { captured: 0, amount: 100 };
const either = [false, true];

const NOTHING = {
  outside: false,
  stale: false,
  unbounded: true,
  lies: false,
  usesUp: false,
  ignoredVoids: 0,
};
const NO_VIOLATIONS: Violations = {
  double: false,
  rejectedThoughApplied: false,
  notAppliedThoughApplied: false,
  notSentThoughApplied: false,
  succeededByAnother: false,
  succeededWithoutEntry: false,
  tooManyPosts: false,
};

function environmentsWith(fixed: Pick<Environment, 'lies' | 'usesUp'>): Environment[] {
  return either.flatMap((outside) =>
    // Nothing is promised for lying responses and stale reads at once.
    (fixed.lies ? [false] : either).flatMap((stale) =>
      either.flatMap((unbounded) =>
        [PARTIAL, COMPLETE].map((amounts) => ({
          ...NOTHING,
          ...fixed,
          outside,
          stale,
          unbounded,
          ...amounts,
        })),
      ),
    ),
  );
}

/** What goes wrong under a policy according to the design while responses are true. */
function violationsOfTruth(policy: Policy, environment: Environment): Partial<Violations> {
  const { outside, stale, unbounded, amount } = environment;
  const neverReads = policy === 'P0' || policy === 'P1' || policy === 'P2';
  const repeatsBlindly = neverReads || policy === 'P3';
  return {
    double: amount === PARTIAL.amount && repeatsBlindly,
    rejectedThoughApplied: neverReads,
    notAppliedThoughApplied: policy === 'P5' && (stale || unbounded),
    notSentThoughApplied: neverReads,
    succeededByAnother: outside && !neverReads,
    tooManyPosts: repeatsBlindly,
  };
}

/** What goes wrong under a policy before P7 when an intermediary lies. */
function violationsOfLies(policy: Policy, environment: Environment): Partial<Violations> {
  const { outside, amount } = environment;
  const isPartial = amount === PARTIAL.amount;
  return {
    double: isPartial,
    rejectedThoughApplied: true,
    notAppliedThoughApplied: policy === 'P5',
    notSentThoughApplied: true,
    succeededByAnother: outside,
    succeededWithoutEntry: true,
    tooManyPosts: isPartial || (policy !== 'P4' && policy !== 'P5'),
  };
}

describe.each(policies)('policy %s', (policy) => {
  test.each(environmentsWith({ lies: false, usesUp: false }))(
    'goes wrong exactly as expected with %o',
    (environment) => {
      const { states, violations } = explore(policy, environment);
      expect(states).toBeGreaterThan(30);
      const expected = violationsOfTruth(policy, environment);
      expect(violations).toEqual({ ...NO_VIOLATIONS, ...expected });
    },
  );
});

test.each(policies.slice(0, -1))('policy %s cannot stand an intermediary that lies', (policy) => {
  for (const environment of environmentsWith({ lies: true, usesUp: false })) {
    const expected = violationsOfLies(policy, environment);
    expect(explore(policy, environment).violations).toEqual({ ...NO_VIOLATIONS, ...expected });
  }
});

test.each([
  ...environmentsWith({ lies: true, usesUp: false }),
  ...environmentsWith({ lies: false, usesUp: true }),
  ...environmentsWith({ lies: true, usesUp: true }),
  ...either.map((lies) => ({ ...NOTHING, ...PARTIAL, lies, ignoredVoids: 70 })),
])('policy P7 stands lies and used-up transactions, with %o', (environment) => {
  const { outside: succeededByAnother } = environment;
  expect(explore('P7', environment).violations).toEqual({ ...NO_VIOLATIONS, succeededByAnother });
});

test.each([0, 10, 20, 30, 60])(
  'policy P7 never captures 40 of 100 twice, and never rejects what was applied, after a capture of %i',
  (captured) => {
    for (const outside of either) {
      for (const stale of either) {
        const environment = { ...NOTHING, outside, stale, captured, amount: 40 };
        const { double, rejectedThoughApplied } = explore('P7', environment).violations;
        expect({ double, rejectedThoughApplied }).toEqual({
          double: false,
          rejectedThoughApplied: false,
        });
      }
    }
  },
);

test.each<[Partial<Rules>, Partial<Environment>, Partial<Violations>]>([
  [
    { confirmsDenials: false },
    { ...PARTIAL, lies: true },
    { double: true, rejectedThoughApplied: true, notSentThoughApplied: true },
  ],
  [{ waitsAfterConflict: false }, { ...COMPLETE, lies: true }, { rejectedThoughApplied: true }],
  [{ keepsFirstSnapshot: false }, { ...PARTIAL, lies: true }, { double: true }],
  [{ clearsResponse: false }, PARTIAL, { double: true, notSentThoughApplied: true }],
  [{ confirmsSuccess: false }, { ...PARTIAL, lies: true }, { succeededWithoutEntry: true }],
  [
    { exhaustion: 'WITHOUT_COUNTERS' },
    { ...PARTIAL, ignoredVoids: 70 },
    { notAppliedThoughApplied: true },
  ],
  [
    { exhaustion: 'OVER_OWN_ENTRY' },
    { ...PARTIAL, usesUp: true },
    { notAppliedThoughApplied: true },
  ],
  [{ givesBackCertain: false }, COMPLETE, { tooManyPosts: true }],
  [
    { hasStoreClock: false },
    { ...PARTIAL, unbounded: false },
    { double: true, notAppliedThoughApplied: true },
  ],
])('without the rule %o, policy P7 goes wrong with %o: %o', (rule, changes, expected) => {
  const environment = { ...NOTHING, ...PARTIAL, ...changes };
  expect(explore('P7', environment).violations).toEqual(NO_VIOLATIONS);
  const { violations } = explore('P7', environment, { ...allRules, ...rule });
  expect(violations).toMatchObject(expected);
});

test('only the exhaustion proves without a bound that a partial capture was not applied', () => {
  const environment = { ...NOTHING, ...PARTIAL, usesUp: true };
  expect(explore('P7', environment).endsNotApplied).toBe(true);
  expect(explore('P7', { ...environment, usesUp: false }).endsNotApplied).toBe(false);
  const rules: Rules = { ...allRules, exhaustion: 'NONE' };
  expect(explore('P7', environment, rules).endsNotApplied).toBe(false);
});
