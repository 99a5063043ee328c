import type { Random } from './random.ts';

/**
 * What the gateways can rely on in one run. Nothing is promised for lying responses and stale
 * reads at once, nor for stale reads and identical movements of another client.
 *
 * - TRUTHFUL: responses are true, and reads show the present.
 * - LYING: an intermediary denies what the service has applied, confirms what it has not
 *   applied, and repeats requests.
 * - STALE: reads may show an earlier state, in the trail, in the counters or in both.
 */
export type Reliability = 'TRUTHFUL' | 'LYING' | 'STALE';

/** What one run is like. Times in milliseconds. */
export interface Conditions {
  readonly reliability: Reliability;
  /** Share of the steps in which something goes wrong; zero at the end of a run. */
  share: number;
  /** Whether the service applies a POST within a known time, or never. */
  readonly isBounded: boolean;
  /** How long a POST may take to reach the service. */
  readonly longestDelayMs: number;
  /** How long one step of a process may take. */
  readonly longestPauseMs: number;
  /** How long a whole process may be suspended. */
  readonly longestStallMs: number;
  /** What a complete 2xx contains. */
  readonly answers: 'TRAIL' | 'NOTHING';
  /** Whether the service subtracts voids from `pendingAmount`, and so limits them. */
  readonly countsVoids: boolean;
  /** Whether refunds reduce `capturedAmount`. */
  readonly refundsReduceCaptured: boolean;
  /** How long it takes until a new entry of the trail has its line. */
  readonly lineDelayMs: number;
  /** When the store does not respond. */
  readonly silences: readonly Interval[];
  /** When the clock of the database is wrong, and by how much. */
  readonly clockJumps: readonly (Interval & { readonly byMs: number })[];
  /** Another client makes the same movement as one of the callers. */
  readonly hasIdenticalClient: boolean;
  /** Another client makes other movements. */
  readonly hasOtherClient: boolean;
  /** In the end another client uses up what is left of the transaction. */
  readonly isClosed: boolean;
  /** Whether the processes reconcile without callers. */
  readonly reconciles: boolean;
}

interface Interval {
  readonly from: number;
  readonly until: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Chooses the conditions of a run. */
export function createConditions(random: Random): Conditions {
  const reliability = random.pick<Reliability>(['TRUTHFUL', 'TRUTHFUL', 'LYING', 'STALE']);
  const isStale = reliability === 'STALE';
  const isBounded = !isStale && random.chance(0.5);
  return {
    reliability,
    share: random.pick([0.05, 0.15, 0.4]),
    isBounded,
    longestDelayMs: isBounded ? 20_000 : 200_000,
    longestPauseMs: isBounded ? 8_000 : 40_000,
    longestStallMs: isBounded ? 4_000 : 40_000,
    answers: random.pick(['TRAIL', 'NOTHING']),
    countsVoids: random.chance(0.85),
    refundsReduceCaptured: random.chance(0.5),
    lineDelayMs: random.chance(0.3) ? random.integer(100, 10_000) : 0,
    silences: several(random, 0.3, () => random.integer(1_000, 8_000)),
    clockJumps: several(random, 0.3, () => random.integer(10_000, 120_000)).map((interval) => ({
      ...interval,
      byMs: random.pick([-HOUR_MS, HOUR_MS, 36 * DAY_MS]),
    })),
    hasIdenticalClient: !isStale && random.chance(0.2),
    hasOtherClient: random.chance(isStale ? 0.8 : 0.2),
    isClosed: random.chance(0.5),
    reconciles: random.chance(0.3),
  };
}

function several(random: Random, probability: number, length: () => number): Interval[] {
  if (!random.chance(probability)) return [];
  return Array.from({ length: random.integer(1, 2) }, () => {
    const from = random.integer(0, 100_000);
    return { from, until: from + length() };
  });
}

/** The interval that contains a time, if one does. */
export function during<Some extends Interval>(
  intervals: readonly Some[],
  now: number,
): Some | undefined {
  return intervals.find(({ from, until }) => from <= now && now < until);
}
