import { afterPost, type Change, type PostResult } from '../../../src/gateway/operation/machine.ts';
import type { SnapshotEntry } from '../../../src/gateway/operation/snapshot.ts';
import { changeAfterRead, reachable, TOTAL, trailAfter } from './model-service.ts';

/**
 * How a gateway may perform one capture.
 *
 * - P0: it stores nothing and sends a POST for every request.
 * - P1: it stores outcomes only.
 * - P2: it stores that it sends, and sends again without a read.
 * - P3: it reads first, and sends again if the read shows nothing.
 * - P4: it reads first, and never sends again.
 * - P5: like P4, but it presumes NOT_APPLIED after the longest processing time.
 * - P6: it reads first, and sends again under the conservation guard. This is our policy.
 */
export const policies = ['P0', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6'] as const;

/** A policy; see {@link policies}. */
export type Policy = (typeof policies)[number];

/** What may happen to the operation. */
export interface Environment {
  /** Another client captures the same amount once. */
  readonly outside: boolean;
  /** A read may show an earlier trail. */
  readonly stale: boolean;
  /** A POST that was sent may apply after any time. */
  readonly unbounded: boolean;
  /** Captured before, of 100. */
  readonly captured: number;
  /** What the operation captures, of 100. */
  readonly amount: number;
}

/** What goes wrong in at least one run. */
export interface Violations {
  double: boolean;
  rejectedThoughApplied: boolean;
  notAppliedThoughApplied: boolean;
  succeededByAnother: boolean;
  succeededWithoutEntry: boolean;
}

type Outcome = 'SUCCEEDED' | 'REJECTED' | 'NOT_APPLIED';

interface State {
  /** Entries that POSTs of the operation added, and entries of another client. */
  readonly own: number;
  readonly outside: number;
  /** POSTs that were sent and may still apply, or never. */
  readonly late: number;
  readonly row: 'NONE' | 'SENDING' | 'UNKNOWN' | Outcome;
  readonly needsOperator: boolean;
  readonly posts: number;
  /** What the process does next; IDLE if no caller waits. */
  readonly phase: 'IDLE' | 'POST' | 'RECORD' | 'READ' | 'ANSWER';
  /** The result of a POST, until it is recorded. */
  readonly result: 'APPLIED' | 'REJECTED' | 'AMBIGUOUS' | null;
  /** What the caller received last; null for a network error, or before the first answer. */
  readonly returned: Outcome | 'UNKNOWN' | null;
  /** How often the process may still crash, the caller try, and the process read. */
  readonly crashes: number;
  readonly tries: number;
  readonly reads: number;
}

const START: State = {
  own: 0,
  outside: 0,
  late: 0,
  row: 'NONE',
  needsOperator: false,
  posts: 0,
  phase: 'IDLE',
  result: null,
  returned: null,
  crashes: 2,
  tries: 3,
  reads: 3,
};

/** Explores every run of one capture under a policy. Returns what goes wrong in any of them. */
export function explore(policy: Policy, environment: Environment): Violations & { states: number } {
  const found: Violations = {
    double: false,
    rejectedThoughApplied: false,
    notAppliedThoughApplied: false,
    succeededByAnother: false,
    succeededWithoutEntry: false,
  };
  let states = 0;
  for (const state of reachable(START, (from) => next(from, policy, environment))) {
    states++;
    addViolations(state, found);
  }
  return { ...found, states };
}

function addViolations({ own, outside, returned, row }: State, found: Violations): void {
  const claims = (outcome: Outcome) => returned === outcome || row === outcome;
  if (own > 1) found.double = true;
  if (claims('REJECTED') && own > 0) found.rejectedThoughApplied = true;
  if (claims('NOT_APPLIED') && own > 0) found.notAppliedThoughApplied = true;
  if (claims('SUCCEEDED') && own === 0) {
    if (outside > 0) found.succeededByAnother = true;
    else found.succeededWithoutEntry = true;
  }
}

function next(state: State, policy: Policy, environment: Environment): State[] {
  const { captured, amount } = environment;
  const fits = captured + (state.own + state.outside + 1) * amount <= TOTAL;
  const after: State[] = [];
  if (state.late > 0) {
    const late = state.late - 1;
    after.push({ ...state, late, own: state.own + (fits ? 1 : 0) });
  }
  if (environment.outside && state.outside === 0 && fits && state.posts > 0) {
    after.push({ ...state, outside: 1 });
  }
  if (state.phase !== 'IDLE' && state.crashes > 0) {
    const crashes = state.crashes - 1;
    after.push({ ...state, phase: 'IDLE', result: null, returned: null, crashes });
  }
  after.push(...steps[state.phase](state, policy, environment, fits));
  return after;
}

/** Policies that record that they send, before they send. */
const storesIntent = (policy: Policy) => policy !== 'P0' && policy !== 'P1';
/** Policies that read before they do anything about an unknown outcome. */
const readsFirst = (policy: Policy) => storesIntent(policy) && policy !== 'P2';

type Step = (state: State, policy: Policy, environment: Environment, fits: boolean) => State[];

const steps: Record<State['phase'], Step> = {
  IDLE: begin,
  POST: post,
  RECORD: recordResult,
  READ: read,
  ANSWER: (state) =>
    isOutcome(state.row) ? [{ ...state, phase: 'IDLE', returned: state.row }] : [],
};

function isOutcome(row: State['row']): row is Outcome {
  return row === 'SUCCEEDED' || row === 'REJECTED' || row === 'NOT_APPLIED';
}

function begin(state: State, policy: Policy): State[] {
  const hasAnswer = state.returned !== null && state.returned !== 'UNKNOWN';
  if (hasAnswer || state.tries === 0) return [];
  const begun: State = { ...state, tries: state.tries - 1, returned: null };
  if (isOutcome(state.row)) return [{ ...begun, phase: 'ANSWER' }];
  if (state.row === 'NONE' || !readsFirst(policy)) {
    return [{ ...begun, phase: 'POST', row: storesIntent(policy) ? 'SENDING' : state.row }];
  }
  return [{ ...begun, row: 'UNKNOWN', phase: 'READ' }];
}

function post(state: State, _policy: Policy, _environment: Environment, fits: boolean): State[] {
  const sent: State = { ...state, posts: state.posts + 1, phase: 'RECORD', result: 'AMBIGUOUS' };
  const applied: State = { ...sent, own: state.own + 1 };
  return [
    ...(fits
      ? [{ ...applied, result: 'APPLIED' } as const, applied]
      : [{ ...sent, result: 'REJECTED' } as const]),
    sent,
    { ...sent, late: state.late + 1 },
  ];
}

function recordResult(state: State, policy: Policy): State[] {
  const recorded: State = { ...state, result: null };
  if (state.result === null) return [];
  // A policy that does not read first takes every answer for the answer to its operation.
  const posts = readsFirst(policy) && state.posts > 1 ? 2 : 1;
  const { to } = afterPost(posts, toPostResult(state.result));
  if (to === 'REMOVED') return [];
  if (to === 'UNKNOWN') {
    return readsFirst(policy)
      ? [{ ...recorded, row: to, phase: 'READ' }]
      : [{ ...recorded, phase: 'IDLE', returned: to }];
  }
  if (policy === 'P0') return [{ ...recorded, phase: 'IDLE', returned: to }];
  return [{ ...recorded, row: to, phase: 'ANSWER' }];
}

function toPostResult(kind: NonNullable<State['result']>): PostResult {
  return kind === 'REJECTED' ? { kind, rejection: { code: 'CONFLICT', message: '' } } : { kind };
}

function read(state: State, policy: Policy, environment: Environment): State[] {
  if (state.reads === 0 || state.needsOperator) {
    return [{ ...state, phase: 'IDLE', returned: 'UNKNOWN' }];
  }
  const after: State = { ...state, reads: state.reads - 1 };
  const before = trailBefore(environment);
  const trails = [trailAfter(state, environment.amount, before)];
  if (environment.stale) trails.push(before);
  // With a bound, a read is only so late that something is presumed after all POSTs have applied.
  const mayBeTooLate = policy === 'P5' && (environment.unbounded || state.late === 0);
  return [false, ...(mayBeTooLate ? [true] : [])].flatMap((tooLate) =>
    trails.map((trail) => {
      const change = changeAfterRead({
        amount: environment.amount,
        posts: state.posts,
        trail,
        before,
        pendingAmount: TOTAL - environment.captured,
        guardedRepost: policy === 'P6',
        tooLate,
      });
      return afterChange(after, sendsBlindly(policy, trail, before) ? { to: 'SENDING' } : change);
    }),
  );
}

/** P3 sends again whenever a read shows no new entry. */
function sendsBlindly(
  policy: Policy,
  trail: readonly SnapshotEntry[],
  before: readonly SnapshotEntry[],
): boolean {
  return policy === 'P3' && trail.length === before.length;
}

function afterChange(read: State, change: Change): State {
  switch (change.to) {
    case 'SENDING':
      return { ...read, row: 'SENDING', phase: 'POST' };
    case 'UNKNOWN': {
      const needsOperator = change.needsOperator === true;
      return { ...read, needsOperator, phase: 'IDLE', returned: 'UNKNOWN' };
    }
    case 'REMOVED':
      throw new Error('A read never removes an operation.');
    default:
      return { ...read, row: change.to, phase: 'ANSWER' };
  }
}

function trailBefore({ captured }: Environment): SnapshotEntry[] {
  return captured === 0 ? [] : [{ ref: 'before', kind: 'CAPTURE', amount: captured }];
}
