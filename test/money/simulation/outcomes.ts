import type { Flaw } from './flaws.ts';
import type { FinishedRun } from './guarantees.ts';
import { simulate } from './simulation.ts';

/** How some operations ended. */
export interface Outcomes {
  /** Keys that callers have used. */
  keys: number;
  /** Operations that stay UNKNOWN. */
  unknown: number;
  /** Callers who could not begin, because an operation that stays UNKNOWN is in the way. */
  blocked: number;
}

/** Outcomes of all operations, and of some of them. */
export interface AllOutcomes {
  readonly all: Outcomes;
  /** Movements while responses are true, so that no lie needs an operator. */
  readonly movements: Outcomes;
  /** Those of transactions the rest of which somebody else voids and refunds in the end. */
  readonly usedUp: Outcomes;
}

/** Counts how operations end, one run for each seed, without a limit of the processing time. */
export async function countOutcomes(
  from: number,
  seeds: number,
  flaw: Flaw = {},
): Promise<AllOutcomes> {
  const none = () => ({ keys: 0, unknown: 0, blocked: 0 });
  const outcomes: AllOutcomes = { all: none(), movements: none(), usedUp: none() };
  for (let seed = from; seed < from + seeds; seed++) {
    const run = await simulate(seed, flaw, { isBounded: false });
    const isTrue = run.conditions.reliability !== 'LYING';
    add(outcomes.all, run, () => true);
    if (isTrue) add(outcomes.movements, run, isMovement);
    if (isTrue && run.conditions.isClosed) add(outcomes.usedUp, run, isMovement);
  }
  return outcomes;
}

const isMovement = (kind: string) => kind !== 'CREATE';

function add(
  outcomes: Outcomes,
  { callers, operations, returned }: FinishedRun,
  isCounted: (kind: string) => boolean,
): void {
  for (const { key, kind } of callers) {
    if (!isCounted(kind)) continue;
    outcomes.keys++;
    const stays = operations.some((each) => each.key === key && each.state === 'UNKNOWN');
    const last = returned.findLast((each) => each.key === key);
    if (stays) outcomes.unknown++;
    else if (last?.verdict.kind === 'BUSY') outcomes.blocked++;
  }
}
