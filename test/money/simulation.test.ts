import { expect, test } from 'vitest';
import {
  believesConflicts,
  believesDenials,
  believesEmptySuccess,
  believesWallClock,
  claimsNothing,
  exhaustsOverOwnEntry,
  exhaustsWithoutCounters,
  type Flaw,
  findsNothing,
  forgetsFirstSnapshot,
  guardsNothing,
  keepsResponse,
} from './simulation/flaws.ts';
import { firstViolation } from './simulation/simulation.ts';

/** More seeds are in `npm run test:long`. */
const SEEDS = Number(process.env.MONEY_SEEDS ?? 1_000);
const FIRST = Number(process.env.MONEY_SEED ?? 1);

test(`${SEEDS} simulated runs keep every guarantee`, async () => {
  expect(await firstViolation(FIRST, SEEDS)).toBeUndefined();
});

test.each<[name: string, runs: number, flaw: Flaw, violation: RegExp]>([
  [
    'findsNothing',
    100,
    findsNothing,
    /is (REJECTED \(ANSWERED\)|NOT_APPLIED \(PRESUMED\)), but was applied|was certainly applied, but is UNKNOWN/,
  ],
  ['believesDenials', 100, believesDenials, /is REJECTED \(ANSWERED\), but was applied/],
  ['believesConflicts', 300, believesConflicts, /is REJECTED \(ANSWERED\), but was applied/],
  [
    'believesEmptySuccess',
    300,
    believesEmptySuccess,
    /SUCCEEDED, but was not applied|SUCCEEDED like key/,
  ],
  ['claimsNothing', 1_000, claimsNothing, /SUCCEEDED, but was not applied/],
  ['exhaustsOverOwnEntry', 100, exhaustsOverOwnEntry, /is NOT_APPLIED \(PROVEN\), but was applied/],
  [
    'exhaustsWithoutCounters',
    1_000,
    exhaustsWithoutCounters,
    /is NOT_APPLIED \(PROVEN\), but was applied/,
  ],
  [
    'keepsResponse',
    3_000,
    keepsResponse,
    /was sent by 2 POSTs that may have been applied|was certainly applied, but is UNKNOWN|was posted 2 times, 1 are recorded/,
  ],
  [
    'forgetsFirstSnapshot',
    3_000,
    forgetsFirstSnapshot,
    /but was applied|was applied 2 times|was posted 2 times, 1 are recorded/,
  ],
  ['believesWallClock', 100, believesWallClock, /was applied 2 times/],
  ['guardsNothing', 1_000, guardsNothing, /was applied 2 times/],
])('the flaw %s is noticed within %i simulated runs', async (_name, runs, flaw, violation) => {
  expect(await firstViolation(1, runs, flaw)).toMatch(violation);
});
