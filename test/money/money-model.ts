import {
  afterPost,
  afterRead,
  type Change,
  type PostResult,
} from '../../src/gateway/operation/machine.ts';
import {
  candidateEntries,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../src/gateway/operation/snapshot.ts';

/** How a gateway could go about one capture; P6 is ours. */
export type Policy = 'P0' | 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6';

/** What may happen around it. */
export interface Environment {
  /** Somebody else captures the same amount once. */
  readonly outside: boolean;
  /** A read may show an older trail. */
  readonly stale: boolean;
  /** A POST that is under way may apply after any waiting time. */
  readonly unbounded: boolean;
  /** Captured before, and asked for now, of 100. */
  readonly captured: number;
  readonly amount: number;
}

/** What can go wrong, and does in some run. */
export interface Violations {
  double: boolean;
  rejectedThoughApplied: boolean;
  notAppliedThoughApplied: boolean;
  succeededNotOurs: boolean;
  succeededWithoutEntry: boolean;
}

const TOTAL = 100;

interface State {
  /** Entries in the service: ours in the order of their POSTs, and the other's. */
  own: number;
  outside: number;
  /** POSTs still under way, that may apply later or never. */
  late: number;
  row: 'NONE' | 'SENDING' | 'UNKNOWN' | 'SUCCEEDED' | 'REJECTED' | 'NOT_APPLIED';
  needsOperator: boolean;
  posts: number;
  /** What the process is about to do; IDLE when no caller waits. */
  phase: 'IDLE' | 'POST' | 'RECORD' | 'READ' | 'ANSWER';
  /** A POST's result that was read and not yet recorded. */
  result: PostResult['kind'] | null;
  /** What a caller was told last; null for a network error or nothing yet. */
  told: 'SUCCEEDED' | 'REJECTED' | 'NOT_APPLIED' | 'UNKNOWN' | null;
  /** The read-back of the current try is not its first. */
  crashes: number;
  tries: number;
  reads: number;
}

/** Explores every run of one operation under a policy and says what went wrong in any of them. */
export function explore(policy: Policy, environment: Environment): Violations & { states: number } {
  const found: Violations = {
    double: false,
    rejectedThoughApplied: false,
    notAppliedThoughApplied: false,
    succeededNotOurs: false,
    succeededWithoutEntry: false,
  };
  const start: State = {
    own: 0,
    outside: 0,
    late: 0,
    row: 'NONE',
    needsOperator: false,
    posts: 0,
    phase: 'IDLE',
    result: null,
    told: null,
    crashes: 2,
    tries: 3,
    reads: 3,
  };
  const seen = new Set<string>();
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    judge(state, found);
    open.push(...next(state, policy, environment));
  }
  return { ...found, states: seen.size };
}

function judge({ own, outside, told, row }: State, found: Violations): void {
  const says = (what: State['told']) => told === what || row === what;
  if (own > 1) found.double = true;
  if (says('REJECTED') && own > 0) found.rejectedThoughApplied = true;
  if (says('NOT_APPLIED') && own > 0) found.notAppliedThoughApplied = true;
  if (says('SUCCEEDED') && own === 0) {
    if (outside > 0) found.succeededNotOurs = true;
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
    after.push({ ...state, phase: 'IDLE', result: null, told: null, crashes: state.crashes - 1 });
  }
  after.push(...steps[state.phase](state, policy, environment, fits));
  return after;
}

type Step = (state: State, policy: Policy, environment: Environment, fits: boolean) => State[];

const isFinal = (row: State['row']) =>
  row === 'SUCCEEDED' || row === 'REJECTED' || row === 'NOT_APPLIED';

/** Policies that write their intent down before they send. */
const storesIntent = (policy: Policy) => policy !== 'P0' && policy !== 'P1';
/** Policies that look before they do anything about an unknown outcome. */
const readsBack = (policy: Policy) => storesIntent(policy) && policy !== 'P2';

const steps: Record<State['phase'], Step> = {
  IDLE: (state, policy) => {
    const answered = state.told !== null && state.told !== 'UNKNOWN';
    if (answered || state.tries === 0) return [];
    const begun: State = { ...state, tries: state.tries - 1, told: null };
    if (isFinal(state.row)) return [{ ...begun, phase: 'ANSWER' }];
    if (!storesIntent(policy) || state.row === 'NONE' || !readsBack(policy)) {
      return [{ ...begun, phase: 'POST', row: storesIntent(policy) ? 'SENDING' : state.row }];
    }
    return [{ ...begun, row: 'UNKNOWN', phase: 'READ' }];
  },

  POST: (state, _policy, _environment, fits) => {
    const sent: State = { ...state, posts: state.posts + 1, phase: 'RECORD' };
    const applied = { ...sent, own: state.own + 1 };
    return [
      ...(fits
        ? [
            { ...applied, result: 'APPLIED' as const },
            { ...applied, result: 'AMBIGUOUS' as const },
          ]
        : [{ ...sent, result: 'REJECTED' as const }]),
      { ...sent, result: 'AMBIGUOUS' as const },
      { ...sent, late: state.late + 1, result: 'AMBIGUOUS' as const },
    ];
  },

  RECORD: (state, policy) => {
    const change = afterResult(state, policy);
    const recorded: State = { ...state, result: null };
    if (change === 'UNKNOWN') {
      if (readsBack(policy)) return [{ ...recorded, row: 'UNKNOWN', phase: 'READ' }];
      return [{ ...recorded, phase: 'IDLE', told: 'UNKNOWN' }];
    }
    if (policy === 'P0') return [{ ...recorded, phase: 'IDLE', told: change }];
    return [{ ...recorded, row: change, phase: 'ANSWER' }];
  },

  READ: (state, policy, environment) => {
    const unknown: State = { ...state, phase: 'IDLE', told: 'UNKNOWN' };
    if (state.reads === 0 || state.needsOperator) return [unknown];
    const read = { ...state, reads: state.reads - 1 };
    const trails = [trailOf(state, environment)];
    if (environment.stale) trails.push(trailBefore(environment));
    // A bounded delay is over when the read is late enough to presume something.
    const lateReads = policy === 'P5' && (environment.unbounded || state.late === 0);
    return [false, ...(lateReads ? [true] : [])].flatMap((tooLate) =>
      trails.map((trail) =>
        afterChange(read, changeAfterRead(state, policy, environment, trail, tooLate)),
      ),
    );
  },

  ANSWER: (state) => [{ ...state, phase: 'IDLE', told: state.row as State['told'] }],
};

function afterResult(state: State, policy: Policy): 'SUCCEEDED' | 'REJECTED' | 'UNKNOWN' {
  const kind = state.result as 'APPLIED' | 'REJECTED' | 'AMBIGUOUS';
  const result: PostResult =
    kind === 'REJECTED' ? { kind, rejection: { code: 'CONFLICT', message: '' } } : { kind };
  // Those that do not read back take every answer for the answer to their operation.
  const { to } = afterPost(readsBack(policy) && state.posts > 1 ? 2 : 1, result);
  return to as 'SUCCEEDED' | 'REJECTED' | 'UNKNOWN';
}

function afterChange(read: State, { to, ...change }: Change): State {
  if (to === 'SENDING') return { ...read, row: 'SENDING', phase: 'POST' };
  if (to === 'UNKNOWN') {
    const needsOperator = 'needsOperator' in change;
    return { ...read, needsOperator, phase: 'IDLE', told: 'UNKNOWN' };
  }
  return { ...read, row: to as State['row'], phase: 'ANSWER' };
}

function changeAfterRead(
  state: State,
  policy: Policy,
  environment: Environment,
  trail: readonly SnapshotEntry[],
  tooLate: boolean,
): Change {
  const snapshot = snapshotOf(environment);
  const operation = { kind: 'CAPTURE' as const, amount: environment.amount };
  const entries = candidateEntries(operation, snapshot, trail);
  const change = afterRead(
    { ...operation, posts: state.posts === 1 ? 1 : 2, snapshot },
    { kind: 'ENTRIES', entries },
    { repeated: true, guardedRepost: policy === 'P6', tooLate },
  );
  return policy === 'P3' && entries.length === 0 ? { to: 'SENDING' } : change;
}

function snapshotOf(environment: Environment): TrailSnapshot {
  const trail = trailBefore(environment);
  return { amount: TOTAL, pendingAmount: TOTAL - environment.captured, trail };
}

function trailBefore({ captured }: Environment): SnapshotEntry[] {
  return captured === 0 ? [] : [{ ref: 'before', kind: 'CAPTURE', amount: captured }];
}

function trailOf({ own, outside }: State, environment: Environment): SnapshotEntry[] {
  const entry = (ref: string) => ({ ref, kind: 'CAPTURE' as const, amount: environment.amount });
  return [
    ...trailBefore(environment),
    ...Array.from({ length: own }, (_, index) => entry(`own ${index}`)),
    ...Array.from({ length: outside }, () => entry('outside')),
  ];
}
