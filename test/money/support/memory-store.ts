import { randomUUID } from 'node:crypto';
import type { Change } from '../../../src/gateway/money/engine/change.ts';
import { isProof } from '../../../src/gateway/money/engine/machine.ts';
import type {
  Operation,
  OperationIn,
  OperationState,
} from '../../../src/gateway/money/engine/operation.ts';
import type {
  Claim,
  Held,
  Intent,
  KnownEntries,
  OperationStore,
  Retaken,
  Settlement,
  SucceededMovement,
} from '../../../src/gateway/money/store/operation-store.ts';
import { createTable, hasEntry, isOpen, type Row, sweep, type Table } from './memory-table.ts';

/**
 * Creates a store without a database that follows the rules of the real one.
 *
 * @param now the clock of the store, in milliseconds
 */
export function createMemoryStore(now: () => number, leaseMs: number): OperationStore {
  const table = createTable(now, leaseMs);
  const { all, show, get, owned } = table;
  return {
    find: async (merchantId, key) => {
      const isWanted = (row: Row) => row.merchantId === merchantId && row.key === key;
      table.endLeases(isWanted);
      const row = table.find(isWanted);
      return row && show(row);
    },
    claim: async (...args) => claim(table, ...args),
    retake: async (operation) => retake(table, operation),
    startSending: async (operation, snapshot, ifFirst) => {
      const row = owned(operation, 'PREPARED');
      if (row === undefined) return undefined;
      if (ifFirst && all().some((other) => isCounted(other, row))) return undefined;
      Object.assign(row, { state: 'SENDING', snapshot, posts: 1 });
      table.lease(row);
      return inState('SENDING', show(row));
    },
    repost: async (operation, posts) => {
      const row = owned(operation, 'UNKNOWN');
      if (row?.posts !== 1 || row.needsOperator) return undefined;
      Object.assign(row, { state: 'SENDING', posts, epoch: row.epoch + 1, sendingElapsed: null });
      table.lease(row);
      return inState('SENDING', show(row));
    },
    record: async (operation, change) => {
      record(table, operation, change);
      const row = get(operation.id);
      return row && show(row);
    },
    knownEntries: async (transactionId) => knownEntries(table, transactionId),
    listSucceeded: async (operation) =>
      all()
        .filter((row) => isCounted(row, operation))
        .map(toSucceeded),
    markReturned: async ({ id, epoch }) => {
      const row = get(id);
      if (row?.evidence !== 'OPERATOR' || row.epoch !== epoch) return true;
      row.returned = true;
      return false;
    },
    sweep: async (given) => sweep(table, given),
    listUnknown: async (after = '', limit) =>
      all()
        .filter(
          ({ id, state, needsOperator }) => state === 'UNKNOWN' && !needsOperator && id > after,
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(show),
    list: async (open, limit) =>
      all()
        .filter((row) => !open || isOpen(row))
        .slice(open ? 0 : -limit, open ? limit : undefined)
        .map(show),
    listOfMerchant: async () => [],
    history: async () => [],
    settle: async (id, settlement) => settle(table, id, settlement),
    close: async () => {},
  };
}

function inState<State extends OperationState>(
  state: State,
  operation: Operation,
): OperationIn<State> {
  if (!isInState(operation, state)) throw new Error(`${operation.id} is not ${state}.`);
  return operation;
}

function isInState<State extends OperationState>(
  operation: Operation,
  state: State,
): operation is OperationIn<State> {
  return operation.state === state;
}

function claim(
  { find, show, endLeases, insert }: Table,
  intent: Intent,
  id: string = randomUUID(),
): Claim {
  const { key, merchantId, lockKey } = intent;
  const isKnown = (row: Row) => row.merchantId === merchantId && row.key === key;
  const isLocked = (row: Row) => row.lockKey !== null && row.lockKey === lockKey;
  endLeases((row) => isKnown(row) || isLocked(row));
  const known = find(isKnown);
  if (known !== undefined) return { kind: 'KNOWN', operation: show(known) };
  const open = find((row) => isLocked(row) && isOpen(row));
  if (open !== undefined) return { kind: 'BUSY', operation: show(open) };
  return { kind: 'CLAIMED', operation: inState('PREPARED', show(insert(intent, id))) };
}

function retake({ owned, find, endLeases, show }: Table, operation: Held): Retaken {
  const row = owned(operation, 'RELEASED');
  if (row === undefined) return { kind: 'GONE' };
  const isLocked = ({ lockKey }: Row) => lockKey !== null && lockKey === row.lockKey;
  const isHolder = (other: Row) => isLocked(other) && isOpen(other);
  if (find(isHolder) !== undefined) endLeases(isLocked);
  const holder = find(isHolder);
  if (holder !== undefined) return { kind: 'BUSY', operation: show(holder) };
  Object.assign(row, { state: 'UNKNOWN', epoch: row.epoch + 1, endedElapsed: null });
  return { kind: 'TAKEN', operation: inState('UNKNOWN', show(row)) };
}

function record(table: Table, operation: Held, change: Change): void {
  const { owned, remove } = table;
  switch (change.to) {
    case 'SENDING':
      return;
    case 'REMOVED': {
      const row = owned(operation, 'PREPARED') ?? owned(operation, 'SENDING');
      if (row === undefined) return;
      if (row.posts <= 1 && row.response === null) remove(row);
      else release(owned(operation, 'SENDING'));
      return;
    }
    case 'RELEASED':
      release(owned(operation, 'UNKNOWN'));
      return;
    default:
      update(table, operation, change);
  }
}

function release(row: Row | undefined): void {
  if (row?.posts !== 1 || row.response?.kind !== 'RELEASED') return;
  Object.assign(row, { state: 'RELEASED', leaseUntil: null });
}

function update(
  table: Table,
  operation: Held,
  change: Extract<Change, { to: 'SUCCEEDED' | 'REJECTED' | 'UNKNOWN' | 'NOT_APPLIED' }>,
): void {
  const row = table.get(operation.id);
  if (row === undefined || (row.epoch !== operation.epoch && !isProof(change))) return;
  const isResponse = change.to === 'UNKNOWN' && change.response != null;
  if (row.state !== 'SENDING' && (row.state !== 'UNKNOWN' || isResponse)) return;
  if (change.to === 'UNKNOWN') {
    const { needsOperator = row.needsOperator, posts = row.posts } = change;
    const { searchPlace = row.searchPlace, response } = change;
    Object.assign(row, { state: change.to, needsOperator, posts, searchPlace, leaseUntil: null });
    if (response !== undefined) table.setResponse(row, response);
    return;
  }
  const { entry = null, seen = null } = change.to === 'SUCCEEDED' ? change : {};
  if (entry !== null && table.isClaimed(row, entry)) {
    const response = { kind: 'ACCEPTED' } as const;
    if (isProof(change)) update(table, operation, { to: 'UNKNOWN', response });
    return;
  }
  const transactionId = 'transactionId' in change ? change.transactionId : undefined;
  Object.assign(row, {
    state: change.to,
    evidence: change.evidence,
    rejection: 'rejection' in change ? change.rejection : null,
    entryLine: entry?.line ?? null,
    entryProperties: entry?.properties ?? null,
    seen,
    transactionId: transactionId ?? row.transactionId,
    leaseUntil: null,
    resolvedAt: new Date(table.now()),
  });
}

function knownEntries({ all }: Table, transactionId: string): KnownEntries {
  const rows = all().filter(
    (row) =>
      row.transactionId === transactionId && row.kind !== 'CREATE' && row.state === 'SUCCEEDED',
  );
  return {
    claimed: rows.filter(hasEntry).map(entryOf),
    seen: rows.flatMap(({ seen }) => seen ?? []),
  };
}

function entryOf({ entryLine: line, entryProperties: properties }: Row) {
  return { line, properties };
}

function isCounted(
  row: Row,
  { transactionId, kind, amount }: Pick<Operation, 'transactionId' | 'kind' | 'amount'>,
): boolean {
  return (
    row.transactionId === transactionId &&
    row.kind === kind &&
    row.amount === amount &&
    row.state === 'SUCCEEDED' &&
    !row.waived
  );
}

function toSucceeded(row: Row): SucceededMovement {
  const { id, seen, evidence } = row;
  return {
    id,
    entry: hasEntry(row) ? entryOf(row) : null,
    seen,
    settled: evidence === 'OPERATOR',
  };
}

function settle(
  { get, find, show, now }: Table,
  id: string,
  { applied, proof }: Settlement,
): Operation | 'PROOF_TAKEN' | undefined {
  const isTaken = (row: Row) =>
    row.id !== id &&
    (row.entryLine === proof || (row.kind === 'CREATE' && row.transactionId === proof));
  if (proof !== undefined && find(isTaken) !== undefined) return 'PROOF_TAKEN';
  const row = get(id);
  if (row?.state !== 'UNKNOWN') return undefined;
  Object.assign(row, {
    state: applied ? 'SUCCEEDED' : 'NOT_APPLIED',
    evidence: 'OPERATOR',
    epoch: row.epoch + 1,
    leaseUntil: null,
    resolvedAt: new Date(now()),
    ...(row.kind === 'CREATE' ? { transactionId: proof ?? null } : { entryLine: proof ?? null }),
  });
  return show(row);
}
