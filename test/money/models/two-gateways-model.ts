import type { Change, PostResult } from '../../../src/gateway/money/engine/change.ts';
import { afterPost, isProof } from '../../../src/gateway/money/engine/machine.ts';
import {
  changeAfterRead,
  fitsInto,
  type Money,
  type Response,
  reachable,
  showTransaction,
  toResponse,
  toServiceResponse,
} from './model-service.ts';

/** What may happen to two gateways that work on one operation. */
export interface Environment {
  /** Another client captures the same amount once. */
  readonly outside: boolean;
  /** A read may show an earlier trail. */
  readonly stale: boolean;
  /** An intermediary denies what was applied, and confirms what was not. */
  readonly lies: boolean;
  /** What the operation captures, of 100. */
  readonly amount: number;
  /** Voided before, by a service that does not subtract voids from `pendingAmount`. */
  readonly ignoredVoids: number;
}

/** The rules that two gateways need, each of which the model can do without. */
export interface Rules {
  /** Only the holder of the newest epoch may record a change that is not a proof. */
  readonly fencing: boolean;
  /** The guard counts voids only if `pendingAmount` shows that the service does. */
  readonly ignoresIgnoredVoids: boolean;
  /** The end of a lease clears the response to an earlier POST (A1). */
  readonly clearsResponse: boolean;
  /** A response is recorded only while its POST is being sent. */
  readonly recordsResponseOnce: boolean;
}

/** The rules of our gateways. */
export const allRules: Rules = {
  fencing: true,
  ignoresIgnoredVoids: true,
  clearsResponse: true,
  recordsResponseOnce: true,
};

/** What goes wrong in at least one run. */
export interface Violations {
  double: boolean;
  rejectedThoughApplied: boolean;
  notSentThoughApplied: boolean;
  notAppliedThoughApplied: boolean;
}

/** What a read leads to, until it is recorded. */
type Found = 'SUCCEEDED' | 'REJECTED' | 'NOT_APPLIED' | 'RELEASED' | 'GIVEN_BACK' | 'OPERATOR';

type Result = 'APPLIED' | 'AMBIGUOUS' | 'NOT_SENT' | Response;

interface Gateway {
  readonly phase: 'IDLE' | 'PREPARED' | 'POST' | 'RECORD' | 'READ' | 'FOUND';
  readonly epoch: number;
  /** Which POST of the operation it sends. */
  readonly post: number;
  readonly result: Result | Found | null;
  /** Whether it records the result once more, because it does not know that it was recorded. */
  readonly isRepeated: boolean;
  readonly tries: number;
}

interface State {
  /** Entries that POSTs of the operation added, and entries of another client. */
  readonly own: number;
  readonly outside: number;
  /** POSTs that were sent and may still apply, or never. */
  readonly late: number;
  readonly row:
    | 'NONE'
    | 'PREPARED'
    | 'SENDING'
    | 'UNKNOWN'
    | 'RELEASED'
    | 'SUCCEEDED'
    | 'REJECTED'
    | 'NOT_APPLIED';
  readonly response: Response | null;
  /** Entries of another client in the snapshot. */
  readonly snapshot: number;
  readonly needsOperator: boolean;
  readonly posts: number;
  readonly epoch: number;
  readonly gateways: readonly [Gateway, Gateway];
}

const IDLE: Gateway = {
  phase: 'IDLE',
  epoch: 0,
  post: 0,
  result: null,
  isRepeated: false,
  tries: 2,
};
const START: State = {
  own: 0,
  outside: 0,
  late: 0,
  row: 'NONE',
  response: null,
  snapshot: 0,
  needsOperator: false,
  posts: 0,
  epoch: 0,
  gateways: [IDLE, IDLE],
};

function keyOf({ gateways: [first, second], ...shared }: State): string {
  return [shared, first, second].map((part) => Object.values(part).join()).join();
}

/** Explores every interleaving of two gateways whose leases may end at any moment. */
export function exploreTwoGateways(environment: Environment, rules: Rules = allRules) {
  const violations: Violations = {
    double: false,
    rejectedThoughApplied: false,
    notSentThoughApplied: false,
    notAppliedThoughApplied: false,
  };
  let states = 0;
  for (const { own, row } of reachable(START, (from) => next(from, environment, rules), keyOf)) {
    states++;
    if (own > 1) violations.double = true;
    if (own === 0) continue;
    if (row === 'REJECTED') violations.rejectedThoughApplied = true;
    if (row === 'RELEASED' || row === 'NONE') violations.notSentThoughApplied = true;
    if (row === 'NOT_APPLIED') violations.notAppliedThoughApplied = true;
  }
  return { violations, states };
}

function moneyOf({ ignoredVoids }: Environment): Money {
  return { captured: 0, voided: ignoredVoids, voidedLater: 0, countsVoids: ignoredVoids === 0 };
}

function next(state: State, environment: Environment, rules: Rules): State[] {
  const fits = fitsInto(moneyOf(environment), state, environment.amount);
  const after: State[] = [];
  if (state.late > 0) {
    after.push({ ...state, late: state.late - 1, own: state.own + (fits ? 1 : 0) });
  }
  if (environment.outside && state.outside === 0 && fits && state.posts > 0) {
    after.push({ ...state, outside: 1 });
  }
  for (const index of [0, 1] as const) {
    const turn = createTurn(state, index, environment, rules, fits);
    after.push(...steps[turn.gateway.phase](turn));
  }
  return after;
}

/** One step of one gateway. */
interface Turn {
  readonly state: State;
  readonly gateway: Gateway;
  readonly environment: Environment;
  readonly rules: Rules;
  /** Whether another capture of the amount is possible. */
  readonly fits: boolean;
  /** Whether the gateway may record what is not a proof. */
  readonly owns: boolean;
  /** The state after a change of the gateway, and of the rest. */
  to(change: Partial<Gateway>, rest?: Partial<State>): State;
}

function createTurn(
  state: State,
  index: 0 | 1,
  environment: Environment,
  rules: Rules,
  fits: boolean,
): Turn {
  const [first, second] = state.gateways;
  const gateway = index === 0 ? first : second;
  return {
    state,
    gateway,
    environment,
    rules,
    fits,
    owns: !rules.fencing || gateway.epoch === state.epoch,
    to: (change, rest = {}) => {
      const changed = { ...gateway, ...change };
      return { ...state, ...rest, gateways: index === 0 ? [changed, second] : [first, changed] };
    },
  };
}

const DONE = { phase: 'IDLE', result: null, isRepeated: false } as const;

const steps: Record<Gateway['phase'], (turn: Turn) => State[]> = {
  IDLE: begin,
  PREPARED: ({ state, owns, to }) =>
    !owns || state.row !== 'PREPARED'
      ? [to(DONE)]
      : [to({ phase: 'POST', post: 1 }, { row: 'SENDING', posts: 1, snapshot: state.outside })],
  POST: post,
  RECORD: recordResult,
  READ: read,
  FOUND: recordFound,
};

function begin({ state, gateway, rules, to }: Turn): State[] {
  if (gateway.tries === 0) return [];
  const tries = gateway.tries - 1;
  const epoch = state.epoch + 1;
  switch (state.row) {
    case 'NONE':
      return [to({ phase: 'PREPARED', epoch, tries }, { row: 'PREPARED', epoch, posts: 0 })];
    // The lease of the other gateway has ended.
    case 'PREPARED':
      return [to({ tries }, { row: 'NONE', epoch })];
    case 'SENDING': {
      const response = rules.clearsResponse ? null : state.response;
      return [to({ phase: 'READ', epoch, tries }, { row: 'UNKNOWN', epoch, response })];
    }
    case 'RELEASED':
      return [to({ phase: 'READ', epoch, tries }, { row: 'UNKNOWN', epoch })];
    case 'UNKNOWN':
      return [to({ phase: 'READ', epoch: state.epoch, tries })];
    default:
      return [];
  }
}

function post({ state, environment: { lies }, fits, to }: Turn): State[] {
  const applied = { own: state.own + 1 };
  const answer = (result: Result, rest: Partial<State> = {}) =>
    to({ phase: 'RECORD', result }, rest);
  const all = [
    answer('NOT_SENT'),
    answer('RELEASED'),
    answer('AMBIGUOUS'),
    answer('AMBIGUOUS', { late: state.late + 1 }),
  ];
  if (fits) {
    all.push(answer('APPLIED', applied), answer('AMBIGUOUS', applied));
    if (lies) all.push(answer('REJECTED', applied), answer('RELEASED', applied));
  } else {
    all.push(answer('REJECTED'));
  }
  if (lies) all.push(answer('ACCEPTED'));
  return all;
}

function recordResult(turn: Turn): State[] {
  const { state, gateway, owns, rules, to } = turn;
  const change = afterPost(gateway.post > 1 ? 2 : 1, toPostResult(gateway.result));
  const isResponse = change.to === 'UNKNOWN' && change.response != null;
  const mayFollow = !isResponse || !rules.recordsResponseOnce;
  const isExpected = state.row === 'SENDING' || (state.row === 'UNKNOWN' && mayFollow);
  if (!isExpected || !(owns || isProof(change))) return [to(DONE)];
  const rest = afterRecording(state, change);
  return gateway.isRepeated ? [to(DONE, rest)] : [to(DONE, rest), to({ isRepeated: true }, rest)];
}

/** What changes when the result of a POST is recorded. */
function afterRecording(state: State, change: Change): Partial<State> {
  switch (change.to) {
    case 'REMOVED':
      if (state.row !== 'SENDING') return {};
      return { row: state.response === 'RELEASED' ? 'RELEASED' : 'NONE' };
    case 'UNKNOWN': {
      const { posts = state.posts, response } = change;
      return { row: 'UNKNOWN', posts, response: response ? toResponse(response) : null };
    }
    case 'SUCCEEDED':
      return { row: 'SUCCEEDED' };
    default:
      throw new Error(`A POST never leads to ${change.to}.`);
  }
}

function toPostResult(result: Gateway['result']): PostResult {
  switch (result) {
    case 'APPLIED':
      return { kind: result };
    case 'NOT_SENT':
      return { kind: result, reason: { code: 'NOT_SENT', message: '' } };
    case 'ACCEPTED':
    case 'REJECTED':
    case 'RELEASED':
      return { kind: 'RESPONDED', response: toServiceResponse(result) };
    default:
      return { kind: 'AMBIGUOUS' };
  }
}

function read({ state, environment, rules, to }: Turn): State[] {
  if (state.row !== 'UNKNOWN' || state.needsOperator) return [to(DONE)];
  const { amount, ignoredVoids } = environment;
  const money = moneyOf(environment);
  const before = showTransaction(money, { own: 0, outside: state.snapshot }, amount);
  const now = showTransaction(money, state, amount);
  const pendingAmount = before.pendingAmount - (rules.ignoresIgnoredVoids ? 0 : ignoredVoids);
  return (environment.stale ? [now, before] : [now]).flatMap((shown) =>
    [false, true].map((repeated) => {
      const change = changeAfterRead({
        amount,
        posts: state.posts,
        response: state.response,
        before: { ...before, pendingAmount },
        now: shown,
        repeated,
        guardedRepost: true,
        tooLate: false,
        afterConflict: true,
        exhaustion: 'RIGHT',
      });
      return afterChange(change, state, to);
    }),
  );
}

/** A POST is decided and recorded in one step; every other change is recorded later. */
function afterChange(change: Change, state: State, to: Turn['to']): State {
  const found = (result: Found) => to({ phase: 'FOUND', result });
  switch (change.to) {
    case 'SENDING': {
      const { posts } = change;
      const epoch = state.epoch + 1;
      return to({ phase: 'POST', post: posts, epoch }, { row: 'SENDING', posts, epoch });
    }
    case 'UNKNOWN':
      if (change.needsOperator === true) return found('OPERATOR');
      return change.posts === 1 ? found('GIVEN_BACK') : to(DONE);
    case 'REMOVED':
      throw new Error('A read never removes an operation.');
    default:
      return found(change.to);
  }
}

function recordFound({ state, gateway: { result }, owns, to }: Turn): State[] {
  if (!owns || state.row !== 'UNKNOWN') return [to(DONE)];
  switch (result) {
    case 'OPERATOR':
      return [to(DONE, { needsOperator: true })];
    case 'GIVEN_BACK':
      return [to(DONE, { posts: 1, response: null })];
    case 'RELEASED':
      // As the store does it.
      return state.posts === 1 && state.response === 'RELEASED'
        ? [to(DONE, { row: 'RELEASED' })]
        : [to(DONE)];
    case 'SUCCEEDED':
    case 'REJECTED':
    case 'NOT_APPLIED':
      return [to(DONE, { row: result })];
    default:
      throw new Error(`A read never leads to ${result}.`);
  }
}
