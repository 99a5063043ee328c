import { type Change, isProof } from '../../../src/gateway/operation/machine.ts';
import type { Operation, OperationState } from '../../../src/gateway/operation/operation.ts';
import {
  inState,
  type OperationRow,
  toOperation,
} from '../../../src/gateway/operation/store/operation-row.ts';
import type {
  Claim,
  Held,
  Intent,
  OperationStore,
  Settlement,
} from '../../../src/gateway/operation/store/operation-store.ts';

type Row = { -readonly [K in keyof OperationRow]: OperationRow[K] } & {
  leaseUntil: number;
  sendingAt: number | null;
};

const OPEN = new Set<OperationState>(['PREPARED', 'SENDING', 'UNKNOWN']);
const isOpen = ({ state }: Row) => OPEN.has(state);

/** Creates a store without a database that follows the rules of the real one, with its own time. */
export function createMemoryStore(now: () => number, leaseMs: number): OperationStore {
  const table = createTable(now, leaseMs);
  const { all, owned, show, endLeases, lease } = table;
  return {
    find: async (merchantId, key) => {
      const isWanted = (row: Row) => row.merchantId === merchantId && row.key === key;
      endLeases(isWanted);
      const row = all().find(isWanted);
      return row && toOperation(show(row));
    },
    claim: async (intent) => claim(table, intent),
    startSending: async (operation, snapshot) => {
      const row = owned(operation, 'PREPARED');
      if (row === undefined) return undefined;
      Object.assign(row, { state: 'SENDING', snapshot, posts: 1, sendingAt: now() });
      return inState('SENDING', show(lease(row)));
    },
    repost: async (operation) => {
      const row = owned(operation, 'UNKNOWN');
      if (row?.posts !== 1) return undefined;
      Object.assign(row, { state: 'SENDING', posts: 2, epoch: row.epoch + 1, sendingAt: now() });
      return inState('SENDING', show(lease(row)));
    },
    record: async (operation, change) => {
      record(table, operation, change);
      const row = all().find(({ id }) => id === operation.id);
      return row && toOperation(show(row));
    },
    countSucceeded: async (operation) =>
      all().filter((row) => hasSucceededLike(row, operation)).length,
    claimedEntries: async (refs) => {
      const claimed = new Set(all().map(({ entryRef }) => entryRef));
      return new Set(refs.filter((ref) => claimed.has(ref)));
    },
    sweep: async () => endLeases(() => true),
    listUnknown: async (after = '', limit) =>
      all()
        .filter(
          ({ id, state, needsOperator }) => state === 'UNKNOWN' && !needsOperator && id > after,
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((row) => toOperation(show(row))),
    list: async (open, limit) =>
      all()
        .filter((row) => !open || isOpen(row))
        .slice(open ? 0 : -limit, open ? limit : undefined)
        .map((row) => toOperation(show(row))),
    history: async () => [],
    settle: async (id, settlement) => settle(table, id, settlement),
    close: async () => {},
  };
}

type Table = ReturnType<typeof createTable>;

function createTable(now: () => number, leaseMs: number) {
  const rows = new Map<string, Row>();
  let ids = 0;
  return {
    now,
    all: () => [...rows.values()],
    /** The row as the database returns it. */
    show: (row: Row): OperationRow => ({
      ...row,
      sinceSendingMs: row.sendingAt === null ? null : now() - row.sendingAt,
    }),
    /** The row if it has this epoch and is in one of these states. */
    owned: ({ id, epoch }: Held, ...states: OperationState[]) => {
      const row = rows.get(id);
      return row?.epoch === epoch && states.includes(row.state) ? row : undefined;
    },
    lease: (row: Row): Row => Object.assign(row, { leaseUntil: now() + leaseMs }),
    endLeases: (isWanted: (row: Row) => boolean): void => {
      for (const row of rows.values()) {
        if (!isWanted(row) || row.leaseUntil > now()) continue;
        if (row.state === 'PREPARED') rows.delete(row.id);
        if (row.state === 'SENDING') Object.assign(row, { state: 'UNKNOWN', epoch: row.epoch + 1 });
      }
    },
    insert: (intent: Intent): Row => {
      const row = toRow(intent, `operation ${++ids}`, now());
      rows.set(row.id, row);
      return row;
    },
    remove: ({ id }: Row) => void rows.delete(id),
  };
}

function toRow(intent: Intent, id: string, now: number): Row {
  return {
    ...intent,
    id,
    state: 'PREPARED',
    posts: 0,
    epoch: 1,
    leaseUntil: 0,
    needsOperator: false,
    snapshot: null,
    rejection: null,
    entryRef: null,
    evidence: null,
    createdAt: new Date(now),
    sendingAt: null,
    sinceSendingMs: null,
    resolvedAt: null,
  };
}

function claim({ all, show, endLeases, insert, lease }: Table, intent: Intent): Claim {
  const { key, merchantId, lockKey } = intent;
  const isKnown = (row: Row) => row.merchantId === merchantId && row.key === key;
  const isLocked = (row: Row) => row.lockKey !== null && row.lockKey === lockKey;
  endLeases((row) => isKnown(row) || isLocked(row));
  const known = all().find(isKnown);
  if (known !== undefined) return { kind: 'KNOWN', operation: toOperation(show(known)) };
  const open = all().find((row) => isLocked(row) && isOpen(row));
  if (open !== undefined) return { kind: 'BUSY', operation: toOperation(show(open)) };
  return { kind: 'CLAIMED', operation: inState('PREPARED', show(lease(insert(intent)))) };
}

function record({ all, owned, remove, now }: Table, operation: Held, change: Change): void {
  if (change.to === 'REMOVED') {
    const row = owned(operation, 'PREPARED', 'SENDING');
    if (row !== undefined && row.posts <= 1) remove(row);
    return;
  }
  const row = isProof(change)
    ? all().find(({ id }) => id === operation.id)
    : owned(operation, 'SENDING', 'UNKNOWN');
  if (row === undefined || (row.state !== 'SENDING' && row.state !== 'UNKNOWN')) return;
  const { to, ...rest } = change;
  const entryRef = 'entryRef' in change ? change.entryRef : undefined;
  if (entryRef !== undefined && all().some((other) => other.entryRef === entryRef)) return;
  Object.assign(row, { state: to, leaseUntil: 0, ...rest });
  if (to !== 'UNKNOWN') row.resolvedAt = new Date(now());
}

function hasSucceededLike(
  row: Row,
  { transactionId, kind, amount }: Pick<Operation, 'transactionId' | 'kind' | 'amount'>,
): boolean {
  return (
    row.transactionId === transactionId &&
    row.kind === kind &&
    row.amount === amount &&
    row.state === 'SUCCEEDED' &&
    row.evidence !== 'OPERATOR'
  );
}

function settle(
  { all, show, now }: Table,
  wanted: string,
  { applied, proof }: Settlement,
): Operation | 'PROOF_TAKEN' | undefined {
  const row = all().find(({ id }) => id === wanted);
  if (row?.state !== 'UNKNOWN') return undefined;
  const isProven = ({ kind, entryRef, transactionId }: Row) =>
    entryRef === proof || (kind === 'CREATE' && transactionId === proof);
  if (proof !== undefined && all().some(isProven)) return 'PROOF_TAKEN';
  Object.assign(row, {
    state: applied ? 'SUCCEEDED' : 'NOT_APPLIED',
    evidence: 'OPERATOR',
    epoch: row.epoch + 1,
    resolvedAt: new Date(now()),
    ...(row.kind === 'CREATE'
      ? { transactionId: proof ?? null }
      : { entryRef: proof ?? row.entryRef }),
  });
  return toOperation(show(row));
}
