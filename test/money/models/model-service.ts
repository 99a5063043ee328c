import type { Change, Effect } from '../../../src/gateway/money/engine/change.ts';
import { canNeverApply } from '../../../src/gateway/money/engine/guard.ts';
import { afterRead } from '../../../src/gateway/money/engine/machine.ts';
import type {
  NotSentReason,
  Rejection,
  ServiceResponse,
  SnapshotEntry,
  TrailSnapshot,
} from '../../../src/gateway/money/engine/operation.ts';

/** Amount of the transaction in all models. */
export const TOTAL = 100;

/** What the transaction shows of its money besides captures of the operation's amount. */
export interface Money {
  /** Captured and voided before the first POST. */
  readonly captured: number;
  readonly voided: number;
  /** Voided later by another client. */
  readonly voidedLater: number;
  /** Whether the service subtracts voids from `pendingAmount`. */
  readonly countsVoids: boolean;
}

/** Captures of one amount since the first POST. */
export interface Captures {
  /** Captures that POSTs of the operation added. */
  readonly own: number;
  /** Identical captures of another client. */
  readonly outside: number;
}

/** Whether another capture of this amount is possible. */
export function fitsInto(money: Money, { own, outside }: Captures, amount: number): boolean {
  const voided = money.countsVoids ? money.voided + money.voidedLater : 0;
  return money.captured + voided + (own + outside + 1) * amount <= TOTAL;
}

/** The transaction with these captures, in the order in which a service with one instant shows them. */
export function showTransaction(
  money: Money,
  { own, outside }: Captures,
  amount: number,
): TrailSnapshot {
  const { captured, voided, voidedLater, countsVoids } = money;
  const entry = (kind: 'CAPTURE' | 'VOID', name: string, size: number): SnapshotEntry[] =>
    size === 0 ? [] : [{ line: null, properties: name, kind, amount: size }];
  const trail = [
    ...entry('CAPTURE', 'before', captured),
    ...entry('VOID', 'void', voided),
    ...entry('VOID', 'later void', voidedLater),
    ...Array.from({ length: own }, (_, index) => entry('CAPTURE', `own ${index}`, amount)).flat(),
    ...Array.from({ length: outside }, () => entry('CAPTURE', 'outside', amount)).flat(),
  ];
  const all = captured + (own + outside) * amount;
  return {
    amount: TOTAL,
    pendingAmount: TOTAL - all - (countsVoids ? voided + voidedLater : 0),
    capturedAmount: all,
    refundedAmount: 0,
    voidedAmount: voided + voidedLater,
    trail,
  };
}

/** A response that is not yet confirmed; CONFLICT is a rejection after which a read has to wait. */
export type Response = 'ACCEPTED' | 'REJECTED' | 'CONFLICT' | 'RELEASED';

const REASON: NotSentReason = { code: 'NOT_SENT', message: '' };
const REJECTION: Rejection = { code: 'CONFLICT', message: '' };

/** The response in the shape of the state machine. */
export function toServiceResponse(response: Response): ServiceResponse {
  switch (response) {
    case 'ACCEPTED':
      return { kind: 'ACCEPTED' };
    case 'RELEASED':
      return { kind: 'RELEASED', reason: REASON };
    default:
      return { kind: 'REJECTED', rejection: REJECTION, conflict: response === 'CONFLICT' };
  }
}

/** The response in the shape of the models. */
export function toResponse(response: ServiceResponse): Response {
  if (response.kind !== 'REJECTED') return response.kind;
  return response.conflict ? 'CONFLICT' : 'REJECTED';
}

/**
 * What a gateway concludes from a transaction that is used up. RIGHT is rule A4; the others are
 * wrong, or do without it.
 */
export type Exhaustion = 'RIGHT' | 'NONE' | 'WITHOUT_COUNTERS' | 'OVER_OWN_ENTRY';

/** A read of the transaction during the search for the effect of a capture. */
export interface Reading {
  readonly amount: number;
  /** How many POSTs may have been applied. */
  readonly posts: number;
  readonly response: Response | null;
  readonly before: TrailSnapshot;
  readonly now: TrailSnapshot;
  /** Whether a caller repeats the key. */
  readonly repeated: boolean;
  readonly guardedRepost: boolean;
  readonly tooLate: boolean;
  readonly afterConflict: boolean;
  readonly exhaustion: Exhaustion;
}

/** What the real state machine derives from a read for a caller who repeats the key. */
export function changeAfterRead(reading: Reading): Change {
  const { amount, posts, response, before } = reading;
  const { repeated, guardedRepost, tooLate, afterConflict } = reading;
  const effect: Effect = { kind: 'TRAIL', now: misread(reading), tooLarge: null };
  return afterRead(
    {
      kind: 'CAPTURE',
      amount,
      posts: posts === 1 ? 1 : 2,
      snapshot: before,
      response: response && toServiceResponse(response),
    },
    effect,
    { claimed: [], seen: [], repeated, guardedRepost, tooLate, afterConflict },
  );
}

/** The transaction as a gateway takes it that does not follow the rule of exhaustion. */
function misread({ exhaustion, amount, response, now }: Reading): TrailSnapshot {
  switch (exhaustion) {
    case 'RIGHT':
      return now;
    case 'NONE':
      return { ...now, voidedAmount: null };
    case 'WITHOUT_COUNTERS':
      return { ...now, pendingAmount: TOTAL - sum(now.trail) };
    case 'OVER_OWN_ENTRY': {
      const trail = now.trail.flatMap((entry) =>
        entry.kind === 'CAPTURE' && entry.amount === amount
          ? [
              { ...entry, amount: amount - 1 },
              { ...entry, amount: 1, properties: `rest of ${entry.properties}` },
            ]
          : [entry],
      );
      const split = { ...now, trail };
      return response === null && canNeverApply('CAPTURE', amount, split) ? split : now;
    }
  }
}

function sum(trail: readonly SnapshotEntry[]): number {
  return trail.reduce((total, { amount }) => total + amount, 0);
}

/**
 * All states that can be reached from `start`, each once.
 *
 * @param keyOf text that differs for different states
 */
export function* reachable<State extends object>(
  start: State,
  next: (state: State) => readonly State[],
  keyOf: (state: State) => string = (state) => Object.values(state).join(),
): Generator<State> {
  const seen = new Set<string>();
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = keyOf(state);
    if (seen.has(key)) continue;
    seen.add(key);
    yield state;
    open.push(...next(state));
  }
}
