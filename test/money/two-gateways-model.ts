import {
  afterPost,
  afterRead,
  isProof,
  type PostResult,
} from '../../src/gateway/operation/machine.ts';
import {
  candidateEntries,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../src/gateway/operation/snapshot.ts';

/** What may happen around two gateways that work on one row. */
export interface TwoGateways {
  readonly outside: boolean;
  readonly stale: boolean;
  /** Asked for, of 100. */
  readonly amount: number;
  /** Let go before; the service of this environment does not count it. */
  readonly ignoredVoids: number;
  /** Records only what the owner of the newest epoch found, proofs aside. */
  readonly fencing: boolean;
  /** Takes voids into account although the counters show that the service does not. */
  readonly credulousGuard: boolean;
}

const TOTAL = 100;

interface Gateway {
  phase: 'IDLE' | 'PREPARED' | 'POST' | 'RECORD' | 'READ';
  epoch: number;
  /** Which POST of the operation it sends. */
  post: number;
  result: PostResult['kind'] | null;
  tries: number;
}

interface State {
  own: number;
  outside: number;
  late: number;
  row: 'NONE' | 'PREPARED' | 'SENDING' | 'UNKNOWN' | 'SUCCEEDED' | 'REJECTED';
  needsOperator: boolean;
  posts: number;
  epoch: number;
  gateways: [Gateway, Gateway];
}

/** Explores every interleaving of two gateways whose leases may expire at any moment. */
export function exploreTwo(environment: TwoGateways) {
  const found = { double: false, rejectedThoughApplied: false, states: 0 };
  const idle: Gateway = { phase: 'IDLE', epoch: 0, post: 0, result: null, tries: 2 };
  const start: State = {
    own: 0,
    outside: 0,
    late: 0,
    row: 'NONE',
    needsOperator: false,
    posts: 0,
    epoch: 0,
    gateways: [idle, idle],
  };
  const seen = new Set<string>();
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    if (state.own > 1) found.double = true;
    if (state.row === 'REJECTED' && state.own > 0) found.rejectedThoughApplied = true;
    open.push(...next(state, environment));
  }
  return { ...found, states: seen.size };
}

function next(state: State, environment: TwoGateways): State[] {
  const fits = (state.own + state.outside + 1) * environment.amount <= TOTAL;
  const after: State[] = [];
  if (state.late > 0) {
    after.push({ ...state, late: state.late - 1, own: state.own + (fits ? 1 : 0) });
  }
  if (environment.outside && state.outside === 0 && fits && state.posts > 0) {
    after.push({ ...state, outside: 1 });
  }
  for (const index of [0, 1] as const) after.push(...step(state, index, environment, fits));
  return after;
}

function step(state: State, index: 0 | 1, environment: TwoGateways, fits: boolean): State[] {
  const gateway = state.gateways[index];
  const { fencing } = environment;
  const owns = !fencing || gateway.epoch === state.epoch;
  const move = (change: Partial<Gateway>, rest: Partial<State> = {}): State => {
    const gateways: State['gateways'] = [...state.gateways];
    gateways[index] = { ...gateway, ...change };
    return { ...state, ...rest, gateways };
  };
  const done: Partial<Gateway> = { phase: 'IDLE', result: null };

  switch (gateway.phase) {
    case 'IDLE': {
      if (gateway.tries === 0) return [];
      const tries = gateway.tries - 1;
      const epoch = state.epoch + 1;
      if (state.row === 'NONE') {
        return [move({ phase: 'PREPARED', epoch, tries }, { row: 'PREPARED', epoch, posts: 0 })];
      }
      // Somebody else's lease, which has run out.
      if (state.row === 'PREPARED') return [move({ tries }, { row: 'NONE', epoch })];
      if (state.row === 'SENDING') {
        return [move({ phase: 'READ', epoch, tries }, { row: 'UNKNOWN', epoch })];
      }
      return state.row === 'UNKNOWN' ? [move({ phase: 'READ', epoch: state.epoch, tries })] : [];
    }
    case 'PREPARED':
      if (!owns || state.row !== 'PREPARED') return [move(done)];
      return [move({ phase: 'POST', post: 1 }, { row: 'SENDING', posts: 1 })];
    case 'POST': {
      const applied = { own: state.own + 1 };
      const read = (result: PostResult['kind']) => ({ phase: 'RECORD' as const, result });
      return [
        ...(fits
          ? [move(read('APPLIED'), applied), move(read('AMBIGUOUS'), applied)]
          : [move(read('REJECTED'))]),
        move(read('NOT_SENT')),
        move(read('AMBIGUOUS')),
        move(read('AMBIGUOUS'), { late: state.late + 1 }),
      ];
    }
    case 'RECORD': {
      const change = afterPost(gateway.post > 1 ? 2 : 1, toResult(gateway.result));
      const proof = isProof(change) && (state.row === 'SENDING' || state.row === 'UNKNOWN');
      if (!proof && !(owns && state.row === 'SENDING')) return [move(done)];
      const row = change.to === 'REMOVED' ? 'NONE' : (change.to as State['row']);
      return [move(done, { row })];
    }
    case 'READ': {
      if (state.row !== 'UNKNOWN' || state.needsOperator || !owns) return [move(done)];
      const trails = [
        trailOf(state, environment),
        ...(environment.stale ? [voids(environment)] : []),
      ];
      return trails.map((trail) => {
        const change = look(state, environment, trail);
        const epoch = state.epoch + 1;
        if (change.to === 'SENDING') {
          return move({ phase: 'POST', post: 2, epoch }, { row: 'SENDING', posts: 2, epoch });
        }
        const needsOperator = change.to === 'UNKNOWN' && change.needsOperator === true;
        return move(done, { row: change.to as State['row'], needsOperator });
      });
    }
  }
}

function toResult(kind: PostResult['kind'] | null): PostResult {
  if (kind === 'REJECTED') return { kind, rejection: { code: 'CONFLICT', message: '' } };
  if (kind === 'NOT_SENT') return { kind, reason: { code: 'NOT_SENT', message: '' } };
  return { kind: kind ?? 'AMBIGUOUS' };
}

function look(state: State, environment: TwoGateways, trail: readonly SnapshotEntry[]) {
  const { amount, ignoredVoids, credulousGuard } = environment;
  const snapshot: TrailSnapshot = {
    amount: TOTAL,
    pendingAmount: credulousGuard ? TOTAL - ignoredVoids : TOTAL,
    trail: voids(environment),
  };
  const operation = { kind: 'CAPTURE' as const, amount };
  return afterRead(
    { ...operation, posts: state.posts === 1 ? 1 : 2, snapshot },
    { kind: 'ENTRIES', entries: candidateEntries(operation, snapshot, trail) },
    { repeated: true, guardedRepost: true, tooLate: false },
  );
}

function voids({ ignoredVoids }: TwoGateways): SnapshotEntry[] {
  return ignoredVoids === 0 ? [] : [{ ref: 'void', kind: 'VOID', amount: ignoredVoids }];
}

function trailOf(state: State, environment: TwoGateways): SnapshotEntry[] {
  const entry = (ref: string) => ({ ref, kind: 'CAPTURE' as const, amount: environment.amount });
  return [
    ...voids(environment),
    ...Array.from({ length: state.own }, (_, index) => entry(`own ${index}`)),
    ...Array.from({ length: state.outside }, () => entry('outside')),
  ];
}
