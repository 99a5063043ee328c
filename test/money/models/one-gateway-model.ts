import type { Change, PostResult } from '../../../src/gateway/money/engine/change.ts';
import { afterPost } from '../../../src/gateway/money/engine/machine.ts';
import type { TrailSnapshot } from '../../../src/gateway/money/engine/operation.ts';
import {
  changeAfterRead,
  fitsInto,
  type Money,
  type Response,
  reachable,
  showTransaction,
  TOTAL,
  toResponse,
  toServiceResponse,
} from './model-service.ts';
import { type Policy, type Rules, readsFirst, rulesOf, storesIntent } from './policies.ts';

/** What may happen to the operation. */
export interface Environment {
  /** Another client captures the same amount once. */
  readonly outside: boolean;
  /** A read may show an earlier trail, earlier counters or both. */
  readonly stale: boolean;
  /** A POST that was sent may apply after any time. */
  readonly unbounded: boolean;
  /** An intermediary denies what was applied, confirms what was not, and repeats requests. */
  readonly lies: boolean;
  /** Another client voids what is left. */
  readonly usesUp: boolean;
  /** Captured before, of 100. */
  readonly captured: number;
  /** Voided before, by a service that does not subtract voids from `pendingAmount`. */
  readonly ignoredVoids: number;
  /** What the operation captures, of 100. */
  readonly amount: number;
}

/** What goes wrong in at least one run. */
export interface Violations {
  double: boolean;
  rejectedThoughApplied: boolean;
  notAppliedThoughApplied: boolean;
  notSentThoughApplied: boolean;
  succeededByAnother: boolean;
  succeededWithoutEntry: boolean;
  /** More than two POSTs that may have been applied. */
  tooManyPosts: boolean;
}

/** What an exploration found. */
export interface Explored {
  readonly violations: Violations;
  readonly states: number;
  /** Whether the operation is NOT_APPLIED in the end of at least one run. */
  readonly endsNotApplied: boolean;
}

type Outcome = 'SUCCEEDED' | 'REJECTED' | 'NOT_APPLIED';

interface State {
  /** Entries that POSTs of the operation added, and entries of another client. */
  readonly own: number;
  readonly outside: number;
  /** Amount that another client has voided. */
  readonly voided: number;
  /** POSTs that were sent and may still apply, or never. */
  readonly late: number;
  /** Copies of a request that met a conflict, which apply within some seconds or never. */
  readonly copies: number;
  readonly row: 'NONE' | 'SENDING' | 'UNKNOWN' | 'RELEASED' | Outcome;
  readonly response: Response | null;
  /** What the snapshot shows of `own`, `outside` and `voided`. */
  readonly snapshot: readonly [own: number, outside: number, voided: number];
  readonly needsOperator: boolean;
  /** POSTs that may have been applied: as recorded, and as it is. */
  readonly posts: number;
  readonly mayBeApplied: number;
  /** What the process does next; IDLE if no caller waits. POLL is the read after a response. */
  readonly phase: 'IDLE' | 'POST' | 'RECORD' | 'POLL' | 'READ' | 'ANSWER';
  /** The result of a POST, until it is recorded. */
  readonly result: 'APPLIED' | 'AMBIGUOUS' | 'NOT_SENT' | Response | null;
  /** What the caller received last; null for a network error, or before the first answer. */
  readonly returned: Outcome | 'UNKNOWN' | 'NOT_SENT' | null;
  /** How often the process may still crash, the caller try, and the process read. */
  readonly crashes: number;
  readonly tries: number;
  readonly reads: number;
}

const START: State = {
  own: 0,
  outside: 0,
  voided: 0,
  late: 0,
  copies: 0,
  row: 'NONE',
  response: null,
  snapshot: [0, 0, 0],
  needsOperator: false,
  posts: 0,
  mayBeApplied: 0,
  phase: 'IDLE',
  result: null,
  returned: null,
  crashes: 2,
  tries: 3,
  reads: 3,
};

/** What a model is made of. */
interface Model {
  readonly policy: Policy;
  readonly rules: Rules;
  readonly environment: Environment;
}

/** Explores every run of one capture under a policy. Returns what goes wrong in any of them. */
export function explore(
  policy: Policy,
  environment: Environment,
  rules: Rules = rulesOf(policy),
): Explored {
  const model: Model = { policy, rules, environment };
  const found: Violations = {
    double: false,
    rejectedThoughApplied: false,
    notAppliedThoughApplied: false,
    notSentThoughApplied: false,
    succeededByAnother: false,
    succeededWithoutEntry: false,
    tooManyPosts: false,
  };
  let [states, endsNotApplied] = [0, false];
  for (const state of reachable(START, (from) => next(from, model))) {
    states++;
    if (state.row === 'NOT_APPLIED') endsNotApplied = true;
    addViolations(state, found);
  }
  return { violations: found, states, endsNotApplied };
}

function addViolations(state: State, found: Violations): void {
  const { own, outside, returned, row, mayBeApplied } = state;
  const claims = (outcome: Outcome) => returned === outcome || row === outcome;
  if (own > 1) found.double = true;
  if (claims('REJECTED') && own > 0) found.rejectedThoughApplied = true;
  if (claims('NOT_APPLIED') && own > 0) found.notAppliedThoughApplied = true;
  if ((row === 'RELEASED' || returned === 'NOT_SENT') && own > 0) found.notSentThoughApplied = true;
  if (claims('SUCCEEDED') && own === 0) {
    if (outside > 0) found.succeededByAnother = true;
    else found.succeededWithoutEntry = true;
  }
  if (mayBeApplied > 2) found.tooManyPosts = true;
}

function moneyOf({ captured, ignoredVoids }: Environment, voidedLater: number): Money {
  return { captured, voided: ignoredVoids, voidedLater, countsVoids: ignoredVoids === 0 };
}

function next(state: State, model: Model): State[] {
  const { environment, rules } = model;
  const { captured, amount, outside, usesUp } = environment;
  const fits = fitsInto(moneyOf(environment, state.voided), state, amount);
  const applied = state.own + (fits ? 1 : 0);
  const after: State[] = [];
  if (state.late > 0) after.push({ ...state, late: state.late - 1, own: applied });
  if (state.copies > 0) {
    const copies = state.copies - 1;
    after.push({ ...state, copies, own: applied }, { ...state, copies });
  }
  if (outside && state.outside === 0 && fits && state.posts > 0) {
    after.push({ ...state, outside: 1 });
  }
  const left = TOTAL - captured - (state.own + state.outside) * amount;
  if (usesUp && state.voided === 0 && left > 0 && state.posts > 0) {
    after.push({ ...state, voided: left });
  }
  if (state.phase !== 'IDLE' && state.crashes > 0) {
    const crashes = state.crashes - 1;
    after.push({ ...state, phase: 'IDLE', result: null, returned: null, crashes });
  }
  if (!rules.hasStoreClock && state.phase === 'IDLE' && isOutcome(state.row)) {
    after.push({ ...state, row: 'NONE', response: null, posts: 0, returned: null });
  }
  after.push(...steps[state.phase](state, model, fits));
  return after;
}

type Step = (state: State, model: Model, fits: boolean) => State[];

const steps: Record<State['phase'], Step> = {
  IDLE: begin,
  POST: post,
  RECORD: recordResult,
  POLL: (state, model) => read(state, model, false),
  READ: (state, model) => read(state, model, true),
  ANSWER: (state) =>
    isOutcome(state.row) ? [{ ...state, phase: 'IDLE', returned: state.row }] : [],
};

function isOutcome(state: string | null): state is Outcome {
  return state === 'SUCCEEDED' || state === 'REJECTED' || state === 'NOT_APPLIED';
}

function begin(state: State, { policy, rules }: Model): State[] {
  if (isOutcome(state.returned) || state.tries === 0) return [];
  const begun: State = { ...state, tries: state.tries - 1, returned: null };
  const shown = [state.own, state.outside, state.voided] as const;
  if (isOutcome(state.row)) return [{ ...begun, phase: 'ANSWER' }];
  if (state.row === 'NONE' || !readsFirst(policy)) {
    const row = storesIntent(policy) ? 'SENDING' : state.row;
    return [{ ...begun, phase: 'POST', row, posts: state.posts + 1, snapshot: shown }];
  }
  const isInterrupted = state.row === 'SENDING' && rules.clearsResponse;
  const forgets = !rules.keepsFirstSnapshot && state.response === 'RELEASED';
  return [
    {
      ...begun,
      row: 'UNKNOWN',
      phase: 'READ',
      response: isInterrupted ? null : state.response,
      snapshot: forgets ? shown : state.snapshot,
    },
  ];
}

function post(state: State, { environment: { lies } }: Model, fits: boolean): State[] {
  const answer = (result: State['result'], change: Partial<State> = {}): State => ({
    ...state,
    phase: 'RECORD',
    result,
    ...change,
  });
  const mayBeApplied = state.mayBeApplied + 1;
  const applied = { own: state.own + 1, mayBeApplied };
  const all = [
    answer('NOT_SENT'),
    answer('RELEASED'),
    answer('AMBIGUOUS', { mayBeApplied }),
    answer('AMBIGUOUS', { mayBeApplied, late: state.late + 1 }),
  ];
  const rejections = ['REJECTED', 'CONFLICT', 'RELEASED'] as const;
  if (fits) {
    all.push(...(['APPLIED', 'ACCEPTED', 'AMBIGUOUS'] as const).map((one) => answer(one, applied)));
    if (lies) all.push(...rejections.map((rejection) => answer(rejection, applied)));
  } else {
    all.push(answer('REJECTED'), answer('CONFLICT'));
  }
  if (lies) {
    all.push(answer('ACCEPTED', { mayBeApplied }));
    all.push(answer('CONFLICT', { mayBeApplied, copies: state.copies + 1 }));
  }
  return all;
}

function recordResult(state: State, { policy, rules }: Model): State[] {
  if (state.result === null) return [];
  // A policy that does not read first takes every answer for the answer to its operation.
  const posts = readsFirst(policy) && state.posts > 1 ? 2 : 1;
  const change = believe(afterPost(posts, toPostResult(state.result)), posts, rules);
  const recorded: State = { ...state, result: null };
  if (change.to === 'REMOVED') {
    const row = state.response === 'RELEASED' ? 'RELEASED' : 'NONE';
    const left = row === 'NONE' ? 0 : state.posts;
    return [{ ...recorded, row, posts: left, phase: 'IDLE', returned: 'NOT_SENT' }];
  }
  if (change.to === 'UNKNOWN') {
    const isGivenBack = change.posts === 1 || (posts === 2 && !rules.givesBackCertain);
    const response = change.response ? toResponse(change.response) : null;
    const unknown = { ...recorded, response, posts: isGivenBack ? 1 : state.posts };
    return readsFirst(policy)
      ? [{ ...unknown, row: change.to, phase: 'POLL' }]
      : [{ ...unknown, phase: 'IDLE', returned: change.to }];
  }
  if (!isOutcome(change.to)) return [];
  if (policy === 'P0') return [{ ...recorded, phase: 'IDLE', returned: change.to }];
  return [{ ...recorded, row: change.to, phase: 'ANSWER' }];
}

/** The change if responses are believed that no read has confirmed. */
function believe(change: Change, posts: 1 | 2, rules: Rules): Change {
  if (change.to !== 'UNKNOWN' || !change.response) return change;
  const { response } = change;
  const evidence = 'ANSWERED';
  if (response.kind === 'ACCEPTED') {
    return rules.confirmsSuccess ? change : { to: 'SUCCEEDED', evidence };
  }
  if (rules.confirmsDenials) return change;
  if (response.kind === 'REJECTED') {
    return { to: 'REJECTED', evidence, rejection: response.rejection };
  }
  return posts === 1 ? { to: 'REMOVED' } : { to: 'UNKNOWN', response: null };
}

function toPostResult(result: NonNullable<State['result']>): PostResult {
  switch (result) {
    case 'APPLIED':
    case 'AMBIGUOUS':
      return { kind: result };
    case 'NOT_SENT':
      return { kind: result, reason: { code: 'NOT_SENT', message: '' } };
    default:
      return { kind: 'RESPONDED', response: toServiceResponse(result) };
  }
}

function read(state: State, model: Model, repeated: boolean): State[] {
  if (state.reads === 0 || state.needsOperator) {
    return [{ ...state, phase: 'IDLE', returned: 'UNKNOWN' }];
  }
  const { policy, rules, environment } = model;
  const { amount } = environment;
  const [own, outside, voided] = state.snapshot;
  const show = (captures: Pick<State, 'own' | 'outside'>, later: number) =>
    showTransaction(moneyOf(environment, later), captures, amount);
  const before = show({ own, outside }, voided);
  const after: State = { ...state, reads: state.reads - 1 };
  return readingsOf(before, show(state, state.voided), environment).flatMap((now) =>
    choicesOf(state, model).map(({ tooLate, afterConflict }) => {
      const change = changeAfterRead({
        amount,
        posts: state.posts,
        response: state.response,
        before,
        now,
        repeated,
        guardedRepost: policy === 'P6' || policy === 'P7',
        tooLate,
        afterConflict,
        exhaustion: rules.exhaustion,
      });
      const isBlind = policy === 'P3' && repeated && now.trail.length === before.trail.length;
      return afterChange(after, isBlind ? { to: 'SENDING', posts: 2 } : change);
    }),
  );
}

/** What a read may show: the present or, if reads are stale, anything between it and the snapshot. */
function readingsOf(
  before: TrailSnapshot,
  now: TrailSnapshot,
  { stale }: Environment,
): TrailSnapshot[] {
  if (!stale) return [now];
  return [now, before, { ...now, trail: before.trail }, { ...before, trail: now.trail }];
}

/** When a read may begin, as far as it makes a difference. */
function choicesOf(
  { late, copies, response }: State,
  { policy, rules, environment: { unbounded, stale } }: Model,
) {
  const isPresumed = policy === 'P5' || (policy === 'P7' && !unbounded && !stale);
  // With a bound, a read is only so late that something is presumed after all POSTs have applied.
  const isOver = policy === 'P5' && unbounded ? true : late === 0 && copies === 0;
  const lateness = isPresumed && (isOver || !rules.hasStoreClock) ? [false, true] : [false];
  const isSettled = copies === 0 || !rules.waitsAfterConflict;
  const conflict = response === 'CONFLICT' && isSettled ? [false, true] : [false];
  return lateness.flatMap((tooLate) =>
    conflict.map((afterConflict) => ({ tooLate, afterConflict })),
  );
}

function afterChange(read: State, change: Change): State {
  switch (change.to) {
    case 'SENDING':
      return { ...read, row: 'SENDING', posts: change.posts, phase: 'POST' };
    case 'RELEASED':
      return { ...read, row: 'RELEASED', phase: 'IDLE', returned: 'NOT_SENT' };
    case 'UNKNOWN': {
      const { posts = read.posts } = change;
      const needsOperator = change.needsOperator === true;
      const response = change.response === null ? null : read.response;
      return { ...read, posts, needsOperator, response, phase: 'IDLE', returned: 'UNKNOWN' };
    }
    case 'REMOVED':
      throw new Error('A read never removes an operation.');
    default:
      return { ...read, row: change.to, phase: 'ANSWER' };
  }
}
