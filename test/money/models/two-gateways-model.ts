import {
  afterPost,
  type Change,
  isProof,
  type PostResult,
} from '../../../src/gateway/operation/machine.ts';
import type { SnapshotEntry } from '../../../src/gateway/operation/snapshot.ts';
import { changeAfterRead, reachable, TOTAL, trailAfter } from './model-service.ts';

/** What may happen to two gateways that work on one operation. */
export interface Environment {
  /** Another client captures the same amount once. */
  readonly outside: boolean;
  /** A read may show an earlier trail. */
  readonly stale: boolean;
  /** What the operation captures, of 100. */
  readonly amount: number;
  /** Voided before, by a service that does not subtract voids from `pendingAmount`. */
  readonly ignoredVoids: number;
  /** Whether only the holder of the newest epoch may record a change that is not a proof. */
  readonly fencing: boolean;
  /** Whether the guard counts voids although `pendingAmount` shows that the service does not. */
  readonly countsIgnoredVoids: boolean;
}

interface Gateway {
  readonly phase: 'IDLE' | 'PREPARED' | 'POST' | 'RECORD' | 'READ';
  readonly epoch: number;
  /** Which POST of the operation it sends. */
  readonly post: number;
  readonly result: PostResult['kind'] | null;
  readonly tries: number;
}

interface State {
  /** Entries that POSTs of the operation added, and entries of another client. */
  readonly own: number;
  readonly outside: number;
  /** POSTs that were sent and may still apply, or never. */
  readonly late: number;
  readonly row: 'NONE' | 'PREPARED' | 'SENDING' | 'UNKNOWN' | 'SUCCEEDED' | 'REJECTED';
  readonly needsOperator: boolean;
  readonly posts: number;
  readonly epoch: number;
  readonly gateways: readonly [Gateway, Gateway];
}

const IDLE: Gateway = { phase: 'IDLE', epoch: 0, post: 0, result: null, tries: 2 };
const START: State = {
  own: 0,
  outside: 0,
  late: 0,
  row: 'NONE',
  needsOperator: false,
  posts: 0,
  epoch: 0,
  gateways: [IDLE, IDLE],
};

/** Explores every interleaving of two gateways whose leases may end at any moment. */
export function exploreTwoGateways(environment: Environment) {
  const found = { double: false, rejectedThoughApplied: false, states: 0 };
  for (const state of reachable(START, (from) => next(from, environment))) {
    found.states++;
    if (state.own > 1) found.double = true;
    if (state.row === 'REJECTED' && state.own > 0) found.rejectedThoughApplied = true;
  }
  return found;
}

function next(state: State, environment: Environment): State[] {
  const fits = (state.own + state.outside + 1) * environment.amount <= TOTAL;
  const after: State[] = [];
  if (state.late > 0) {
    after.push({ ...state, late: state.late - 1, own: state.own + (fits ? 1 : 0) });
  }
  if (environment.outside && state.outside === 0 && fits && state.posts > 0) {
    after.push({ ...state, outside: 1 });
  }
  for (const index of [0, 1] as const) {
    const turn = createTurn(state, index, environment, fits);
    after.push(...steps[turn.gateway.phase](turn));
  }
  return after;
}

/** One step of one gateway. */
interface Turn {
  readonly state: State;
  readonly gateway: Gateway;
  readonly environment: Environment;
  /** Whether another capture of the amount is possible. */
  readonly fits: boolean;
  /** Whether the gateway may record what is not a proof. */
  readonly owns: boolean;
  /** The state after a change of the gateway, and of the rest. */
  to(change: Partial<Gateway>, rest?: Partial<State>): State;
}

function createTurn(state: State, index: 0 | 1, environment: Environment, fits: boolean): Turn {
  const [first, second] = state.gateways;
  const gateway = index === 0 ? first : second;
  return {
    state,
    gateway,
    environment,
    fits,
    owns: !environment.fencing || gateway.epoch === state.epoch,
    to: (change, rest = {}) => {
      const changed = { ...gateway, ...change };
      return { ...state, ...rest, gateways: index === 0 ? [changed, second] : [first, changed] };
    },
  };
}

const DONE = { phase: 'IDLE', result: null } as const;

const steps: Record<Gateway['phase'], (turn: Turn) => State[]> = {
  IDLE: begin,
  PREPARED: ({ state, owns, to }) =>
    !owns || state.row !== 'PREPARED'
      ? [to(DONE)]
      : [to({ phase: 'POST', post: 1 }, { row: 'SENDING', posts: 1 })],
  POST: post,
  RECORD: recordResult,
  READ: read,
};

function begin({ state, gateway, to }: Turn): State[] {
  if (gateway.tries === 0) return [];
  const tries = gateway.tries - 1;
  const epoch = state.epoch + 1;
  switch (state.row) {
    case 'NONE':
      return [to({ phase: 'PREPARED', epoch, tries }, { row: 'PREPARED', epoch, posts: 0 })];
    // The lease of the other gateway has ended.
    case 'PREPARED':
      return [to({ tries }, { row: 'NONE', epoch })];
    case 'SENDING':
      return [to({ phase: 'READ', epoch, tries }, { row: 'UNKNOWN', epoch })];
    case 'UNKNOWN':
      return [to({ phase: 'READ', epoch: state.epoch, tries })];
    default:
      return [];
  }
}

function post({ state, fits, to }: Turn): State[] {
  const applied = { own: state.own + 1 };
  const read = (result: PostResult['kind']) => ({ phase: 'RECORD', result }) as const;
  return [
    ...(fits
      ? [to(read('APPLIED'), applied), to(read('AMBIGUOUS'), applied)]
      : [to(read('REJECTED'))]),
    to(read('NOT_SENT')),
    to(read('AMBIGUOUS')),
    to(read('AMBIGUOUS'), { late: state.late + 1 }),
  ];
}

function recordResult({ state, gateway, owns, to }: Turn): State[] {
  const change = afterPost(gateway.post > 1 ? 2 : 1, toPostResult(gateway.result));
  const isProven = isProof(change) && (state.row === 'SENDING' || state.row === 'UNKNOWN');
  if (!isProven && !(owns && state.row === 'SENDING')) return [to(DONE)];
  return [to(DONE, { row: change.to === 'REMOVED' ? 'NONE' : change.to })];
}

function read({ state, owns, environment, to }: Turn): State[] {
  if (state.row !== 'UNKNOWN' || state.needsOperator || !owns) return [to(DONE)];
  const before = trailBefore(environment);
  const trails = [trailAfter(state, environment.amount, before)];
  if (environment.stale) trails.push(before);
  return trails.map((trail) => {
    const change = changeAfterRead({
      amount: environment.amount,
      posts: state.posts,
      trail,
      before,
      pendingAmount: environment.countsIgnoredVoids ? TOTAL - environment.ignoredVoids : TOTAL,
      guardedRepost: true,
      tooLate: false,
    });
    return afterChange(change, state, to);
  });
}

function afterChange(change: Change, state: State, to: Turn['to']): State {
  switch (change.to) {
    case 'SENDING': {
      const epoch = state.epoch + 1;
      return to({ phase: 'POST', post: 2, epoch }, { row: 'SENDING', posts: 2, epoch });
    }
    case 'UNKNOWN':
      return to(DONE, { row: 'UNKNOWN', needsOperator: change.needsOperator === true });
    case 'SUCCEEDED':
      return to(DONE, { row: 'SUCCEEDED', needsOperator: false });
    default:
      throw new Error(`A read of a capture never leads to ${change.to}.`);
  }
}

function toPostResult(kind: PostResult['kind'] | null): PostResult {
  if (kind === 'REJECTED') return { kind, rejection: { code: 'CONFLICT', message: '' } };
  if (kind === 'NOT_SENT') return { kind, reason: { code: 'NOT_SENT', message: '' } };
  return { kind: kind ?? 'AMBIGUOUS' };
}

function trailBefore({ ignoredVoids }: Environment): SnapshotEntry[] {
  return ignoredVoids === 0 ? [] : [{ ref: 'void', kind: 'VOID', amount: ignoredVoids }];
}
