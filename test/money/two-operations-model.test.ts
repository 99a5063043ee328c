import { expect, test } from 'vitest';
import { type Environment, exploreTwoOperations } from './models/two-operations-model.ts';

const answers = ['TRAIL', 'NOTHING'] as const;
const amounts = [
  { captured: 0, amount: 40 },
  { captured: 30, amount: 40 },
  { captured: 30, amount: 20 },
  { captured: 0, amount: 100 },
];
const environments: Environment[] = [false, true].flatMap((stale) =>
  answers.flatMap((answer) => amounts.map((each) => ({ stale, answers: answer, ...each }))),
);

test.each(environments)(
  'of two equal operations on a transaction, each succeeds only with an entry of its own, with %o',
  async (environment) => {
    const { violations, states } = await exploreTwoOperations(environment);
    expect(states).toBeGreaterThan(50);
    expect(violations).toEqual({ double: false, falseSuccess: false, falseRefusal: false });
  },
);

test.each(answers)(
  'without claims, one of two equal operations takes the entry of the other when reads are stale and a response contains %s',
  async (answer) => {
    const environment = { stale: true, answers: answer, captured: 0, amount: 40 };
    const { violations } = await exploreTwoOperations(environment, { claims: false });
    expect(violations.falseSuccess).toBe(true);
  },
);
