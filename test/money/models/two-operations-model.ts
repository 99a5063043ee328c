import type { Change, Effect, PostResult } from '../../../src/gateway/money/engine/change.ts';
import { afterPost, afterRead } from '../../../src/gateway/money/engine/machine.ts';
import type { SnapshotEntry } from '../../../src/gateway/money/engine/operation.ts';
import { newEntries, without } from '../../../src/gateway/money/engine/snapshot.ts';
import { isRecent } from '../../../src/gateway/money/reconcile.ts';
import type { SucceededMovement } from '../../../src/gateway/money/store/operation-store.ts';
import { type Response, TOTAL, toResponse, toServiceResponse } from './model-service.ts';

/** What may happen to two captures of one amount on one transaction. */
export interface Environment {
  /** A read may show an earlier trail. */
  readonly stale: boolean;
  /** What a complete 2xx contains. */
  readonly answers: 'TRAIL' | 'NOTHING';
  /** Captured before, of 100. */
  readonly captured: number;
  /** What each operation captures, of 100. */
  readonly amount: number;
}

/** The rules about entries (A3). */
export interface Rules {
  /** A success claims its entry, and a POST waits for a snapshot that shows all of them. */
  readonly claims: boolean;
}

/** The rules of our gateways. */
const allRules: Rules = { claims: true };

/** What goes wrong in at least one run. */
export interface Violations {
  double: boolean;
  /** An operation SUCCEEDED that has no entry. */
  falseSuccess: boolean;
  /** An operation is RELEASED, NOT_APPLIED or REJECTED that has an entry. */
  falseRefusal: boolean;
}

const EMPTY = 0;
/** No entry is claimed. */
const NONE = -1;

interface Operation {
  readonly row:
    | 'NONE'
    | 'SENDING'
    | 'UNKNOWN'
    | 'RELEASED'
    | 'SUCCEEDED'
    | 'REJECTED'
    | 'NOT_APPLIED';
  readonly response: Response | null;
  readonly posts: number;
  readonly needsOperator: boolean;
  /** How many entries the first snapshot shows. */
  readonly snapshot: number;
  /** Index of the entry that it claims. */
  readonly entry: number;
  /** Indexes of the entries one of which is its own, as bits. */
  readonly seen: number;
  /** POSTs that were sent and may still apply, or never. */
  readonly late: number;
}

interface State {
  /** For each entry, the operation whose POST added it. */
  readonly owners: readonly (0 | 1)[];
  readonly operations: readonly [Operation, Operation];
}

const START_OPERATION: Operation = {
  row: 'NONE',
  response: null,
  posts: 0,
  needsOperator: false,
  snapshot: EMPTY,
  entry: NONE,
  seen: EMPTY,
  late: 0,
};

/** Explores every run of two operations, of which one at a time holds the lock key. */
export async function exploreTwoOperations(environment: Environment, rules: Rules = allRules) {
  const violations: Violations = { double: false, falseSuccess: false, falseRefusal: false };
  const open: State[] = [{ owners: [], operations: [START_OPERATION, START_OPERATION] }];
  const known = new Set<string>();
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (known.has(key)) continue;
    known.add(key);
    addViolations(state, violations);
    for (const index of [0, 1] as const) {
      open.push(...(await next({ state, index, environment, rules })));
    }
  }
  return { violations, states: known.size };
}

function addViolations({ owners, operations }: State, violations: Violations): void {
  operations.forEach(({ row }, index) => {
    const applied = owners.filter((owner) => owner === index).length;
    if (applied > 1) violations.double = true;
    if (row === 'SUCCEEDED' && applied === 0) violations.falseSuccess = true;
    const isRefused = row === 'REJECTED' || row === 'NOT_APPLIED' || row === 'RELEASED';
    if (isRefused && applied > 0) violations.falseRefusal = true;
  });
}

/** One step of one operation. */
interface Turn {
  readonly state: State;
  readonly index: 0 | 1;
  readonly environment: Environment;
  readonly rules: Rules;
}

function ownOf({ state, index }: Turn): Operation {
  return state.operations[index];
}

function withOwn(state: State, index: 0 | 1, change: Partial<Operation>): State {
  const [first, second] = state.operations;
  return index === 0
    ? { ...state, operations: [{ ...first, ...change }, second] }
    : { ...state, operations: [first, { ...second, ...change }] };
}

function withEntry({ state, index }: Turn): State {
  return { ...state, owners: [...state.owners, index] };
}

async function next(turn: Turn): Promise<State[]> {
  const { state, index } = turn;
  const own = ownOf(turn);
  const other = state.operations[index === 0 ? 1 : 0];
  const isFree = other.row !== 'SENDING' && other.row !== 'UNKNOWN';
  const after: State[] = [];
  if (own.late > 0) {
    const late = own.late - 1;
    after.push(withOwn(fits(turn) ? withEntry(turn) : state, index, { late }));
  }
  if (own.row === 'NONE' && isFree) after.push(...(await takeSnapshots(turn, state)));
  if (own.row === 'RELEASED' && isFree) after.push(withOwn(state, index, { row: 'UNKNOWN' }));
  if (own.row === 'SENDING') after.push(...post(turn));
  if (own.row === 'UNKNOWN' && !own.needsOperator) after.push(...(await read(turn)));
  return after;
}

function fits({ state: { owners }, environment: { captured, amount } }: Turn): boolean {
  return captured + (owners.length + 1) * amount <= TOTAL;
}

/** The numbers of entries that a read may show. */
function readingsOf({ state: { owners }, environment: { stale } }: Turn): number[] {
  return stale ? Array.from({ length: owners.length + 1 }, (_, shown) => shown) : [owners.length];
}

function entryAt(index: number, { amount }: Environment): SnapshotEntry {
  return { line: `line ${index}`, properties: `entry ${index}`, kind: 'CAPTURE', amount };
}

function entriesIn(bits: number, environment: Environment): SnapshotEntry[] {
  return [0, 1, 2, 3].filter((index) => bits & (1 << index)).map((at) => entryAt(at, environment));
}

function showTransaction(shown: number, environment: Environment) {
  const { captured, amount } = environment;
  const before: SnapshotEntry = {
    line: 'line of before',
    properties: 'before',
    kind: 'CAPTURE',
    amount: captured,
  };
  const total = captured + shown * amount;
  return {
    amount: TOTAL,
    pendingAmount: TOTAL - total,
    capturedAmount: total,
    refundedAmount: 0,
    voidedAmount: 0,
    trail: [before, ...Array.from({ length: shown }, (_, index) => entryAt(index, environment))],
  };
}

/** The first POST, or one after the operation was released, if the snapshot is recent enough. */
async function takeSnapshots(turn: Turn, from: State): Promise<State[]> {
  const isFirst = ownOf(turn).row === 'NONE';
  const taken = readingsOf(turn).map(async (shown) => {
    const change = { row: 'SENDING', posts: 1, ...(isFirst ? { snapshot: shown } : {}) } as const;
    return (await mayFollow(turn, shown)) ? [withOwn(from, turn.index, change)] : [];
  });
  return (await Promise.all(taken)).flat();
}

/** Whether a snapshot is recent enough for a POST. */
async function mayFollow(
  { state, index, environment, rules }: Turn,
  shown: number,
): Promise<boolean> {
  const { amount } = environment;
  const wanted = { kind: 'CAPTURE', amount, transactionId: 't' } as const;
  const other = state.operations[index === 0 ? 1 : 0];
  const claims = { listSucceeded: async () => toSucceeded(other, environment) };
  return !rules.claims || isRecent(claims, wanted, showTransaction(shown, environment));
}

function toSucceeded(other: Operation, environment: Environment): SucceededMovement[] {
  const { row, entry, seen } = other;
  if (row !== 'SUCCEEDED') return [];
  return [
    {
      id: 'other',
      entry: entry === NONE ? null : entryAt(entry, environment),
      seen: seen === EMPTY ? null : entriesIn(seen, environment),
      settled: false,
    },
  ];
}

function knownEntries({ operations }: State, environment: Environment) {
  const succeeded = operations.filter(({ row }) => row === 'SUCCEEDED');
  return {
    claimed: succeeded.flatMap(({ entry }) =>
      entry === NONE ? [] : [entryAt(entry, environment)],
    ),
    seen: succeeded.flatMap(({ seen }) => entriesIn(seen, environment)),
  };
}

function indexOf({ properties }: SnapshotEntry): number {
  return Number(properties.slice('entry '.length));
}

function post(turn: Turn): State[] {
  const { state, index } = turn;
  const own = ownOf(turn);
  const released: PostResult = { kind: 'RESPONDED', response: toServiceResponse('RELEASED') };
  const after = [
    recordResult(turn, state, { kind: 'AMBIGUOUS' }),
    recordResult(turn, withOwn(state, index, { late: own.late + 1 }), { kind: 'AMBIGUOUS' }),
    recordResult(turn, state, released),
    recordResult(turn, state, { kind: 'NOT_SENT', reason: { code: 'NOT_SENT', message: '' } }),
  ];
  if (!fits(turn)) {
    const rejected: PostResult = { kind: 'RESPONDED', response: toServiceResponse('REJECTED') };
    return [...after, recordResult(turn, state, rejected)];
  }
  const applied = withEntry(turn);
  return [
    ...after,
    recordResult(turn, applied, { kind: 'AMBIGUOUS' }),
    recordResult(turn, applied, answerOf(turn, applied)),
  ];
}

/** The true response to a POST that was applied. */
function answerOf({ index, environment, rules }: Turn, applied: State): PostResult {
  if (environment.answers === 'NOTHING') {
    return { kind: 'RESPONDED', response: toServiceResponse('ACCEPTED') };
  }
  const { amount } = environment;
  const before = showTransaction(applied.operations[index].snapshot, environment);
  const { trail } = showTransaction(applied.owners.length, environment);
  const entries = newEntries({ kind: 'CAPTURE', amount }, before, trail);
  const { claimed } = knownEntries(applied, environment);
  // As the runner does it.
  const own = rules.claims && entries.length > 1 ? without(entries, claimed) : entries;
  return { kind: 'APPLIED', entries: own };
}

function recordResult({ index, rules }: Turn, state: State, result: PostResult): State {
  const own = state.operations[index];
  const change = afterPost(own.posts === 2 ? 2 : 1, result);
  switch (change.to) {
    case 'SUCCEEDED':
      return withOwn(state, index, { row: 'SUCCEEDED', ...claimOf(change, rules) });
    case 'REMOVED':
      return withOwn(
        state,
        index,
        own.response === 'RELEASED' ? { row: 'RELEASED' } : { ...START_OPERATION, late: own.late },
      );
    case 'UNKNOWN': {
      const { posts = own.posts, response } = change;
      return withOwn(state, index, {
        row: 'UNKNOWN',
        posts,
        response: response ? toResponse(response) : null,
      });
    }
  }
}

function claimOf(
  { entry, seen }: Change & { readonly to: 'SUCCEEDED' },
  { claims }: Rules,
): Pick<Operation, 'entry' | 'seen'> {
  if (!claims) return { entry: NONE, seen: EMPTY };
  if (entry !== undefined) return { entry: indexOf(entry), seen: EMPTY };
  const bits = (seen ?? []).reduce((all, each) => all | (1 << indexOf(each)), 0);
  return { entry: NONE, seen: bits };
}

async function read(turn: Turn): Promise<State[]> {
  const after: State[] = [];
  for (const shown of readingsOf(turn)) {
    for (const repeated of [false, true]) {
      after.push(...(await afterChange(turn, changeAfterRead(turn, shown, repeated))));
    }
  }
  return after;
}

function changeAfterRead(turn: Turn, shown: number, repeated: boolean): Change {
  const { state, environment, rules } = turn;
  const own = ownOf(turn);
  const effect: Effect = {
    kind: 'TRAIL',
    now: showTransaction(shown, environment),
    tooLarge: null,
  };
  const known = rules.claims ? knownEntries(state, environment) : { claimed: [], seen: [] };
  return afterRead(
    {
      kind: 'CAPTURE',
      amount: environment.amount,
      posts: own.posts === 2 ? 2 : 1,
      snapshot: showTransaction(own.snapshot, environment),
      response: own.response && toServiceResponse(own.response),
    },
    effect,
    { ...known, repeated, guardedRepost: true, tooLate: false, afterConflict: true },
  );
}

async function afterChange(turn: Turn, change: Change): Promise<State[]> {
  const { state, index, rules } = turn;
  switch (change.to) {
    case 'SUCCEEDED':
      return [withOwn(state, index, { row: 'SUCCEEDED', ...claimOf(change, rules) })];
    case 'SENDING':
      return change.posts === 1
        ? takeSnapshots(turn, state)
        : [withOwn(state, index, { row: 'SENDING', posts: 2 })];
    case 'UNKNOWN': {
      const { needsOperator = false, posts = ownOf(turn).posts, response } = change;
      const { response: before } = ownOf(turn);
      return [
        withOwn(state, index, {
          needsOperator,
          posts,
          response: response === undefined ? before : response && toResponse(response),
        }),
      ];
    }
    case 'REMOVED':
      throw new Error('A read never removes an operation.');
    default:
      return [withOwn(state, index, { row: change.to })];
  }
}
