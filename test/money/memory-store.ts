import { type Change, isProof } from '../../src/gateway/operation/machine.ts';
import type { OperationState } from '../../src/gateway/operation/operation.ts';
import {
  inState,
  type OperationRow,
  toOperation,
} from '../../src/gateway/operation/store/operation-row.ts';
import type {
  Claim,
  Held,
  Intent,
  OperationStore,
} from '../../src/gateway/operation/store/operation-store.ts';

type Row = { -readonly [K in keyof OperationRow]: OperationRow[K] } & {
  leaseUntil: number;
  sendingAt: number | null;
};

const OPEN = new Set<OperationState>(['PREPARED', 'SENDING', 'UNKNOWN']);

/** The rules of the store without a database, for a simulator with its own time. */
export function createMemoryStore(now: () => number, leaseMs: number): OperationStore {
  const rows = new Map<string, Row>();
  let ids = 0;

  function endLeases(touched: (row: Row) => boolean): void {
    for (const row of rows.values()) {
      if (!touched(row) || row.leaseUntil > now()) continue;
      if (row.state === 'PREPARED') rows.delete(row.id);
      if (row.state === 'SENDING') Object.assign(row, { state: 'UNKNOWN', epoch: row.epoch + 1 });
    }
  }

  const all = () => [...rows.values()];
  const shown = (row: Row): OperationRow => ({
    ...row,
    sinceSendingMs: row.sendingAt === null ? null : now() - row.sendingAt,
  });
  const owned = ({ id, epoch }: Held, ...states: OperationState[]) => {
    const row = rows.get(id);
    return row?.epoch === epoch && states.includes(row.state) ? row : undefined;
  };

  function apply(operation: Held, change: Change): void {
    if (change.to === 'REMOVED') {
      const row = owned(operation, 'PREPARED', 'SENDING');
      if (row !== undefined && row.posts <= 1) rows.delete(row.id);
      return;
    }
    const row = isProof(change) ? rows.get(operation.id) : owned(operation, 'SENDING', 'UNKNOWN');
    if (row === undefined || (row.state !== 'SENDING' && row.state !== 'UNKNOWN')) return;
    const { to, ...rest } = change;
    const entryRef = 'entryRef' in change ? change.entryRef : undefined;
    if (entryRef !== undefined && all().some((other) => other.entryRef === entryRef)) return;
    Object.assign(row, { state: to, leaseUntil: 0, ...rest });
    if (to !== 'UNKNOWN') row.resolvedAt = new Date(now());
  }

  function claim(intent: Intent): Claim {
    const { key, merchantId, lockKey } = intent;
    const isKnown = (row: Row) => row.merchantId === merchantId && row.key === key;
    const isLocked = (row: Row) => row.lockKey !== null && row.lockKey === lockKey;
    endLeases((row) => isKnown(row) || isLocked(row));
    const known = all().find(isKnown);
    if (known !== undefined) return { kind: 'KNOWN', operation: toOperation(shown(known)) };
    const open = all().find((row) => isLocked(row) && OPEN.has(row.state));
    if (open !== undefined) return { kind: 'BUSY', operation: toOperation(shown(open)) };
    const row: Row = {
      ...intent,
      id: `operation ${++ids}`,
      state: 'PREPARED',
      posts: 0,
      epoch: 1,
      leaseUntil: now() + leaseMs,
      needsOperator: false,
      snapshot: null,
      rejection: null,
      entryRef: null,
      evidence: null,
      createdAt: new Date(now()),
      sendingAt: null,
      sinceSendingMs: null,
      resolvedAt: null,
    };
    rows.set(row.id, row);
    return { kind: 'CLAIMED', operation: inState('PREPARED', shown(row)) };
  }

  return {
    find: async (merchantId, key) => {
      const isWanted = (row: Row) => row.merchantId === merchantId && row.key === key;
      endLeases(isWanted);
      const row = all().find(isWanted);
      return row && toOperation(shown(row));
    },
    claim: async (intent) => claim(intent),
    startSending: async (operation, snapshot) => {
      const row = owned(operation, 'PREPARED');
      if (row === undefined) return undefined;
      Object.assign(row, { state: 'SENDING', snapshot, posts: 1, sendingAt: now() });
      row.leaseUntil = now() + leaseMs;
      return inState('SENDING', shown(row));
    },
    repost: async (operation) => {
      const row = owned(operation, 'UNKNOWN');
      if (row?.posts !== 1) return undefined;
      Object.assign(row, { state: 'SENDING', posts: 2, epoch: row.epoch + 1, sendingAt: now() });
      row.leaseUntil = now() + leaseMs;
      return inState('SENDING', shown(row));
    },
    record: async (operation, change) => {
      apply(operation, change);
      const row = rows.get(operation.id);
      return row && toOperation(shown(row));
    },
    countSucceeded: async ({ transactionId, kind, amount }) =>
      all().filter(
        (row) =>
          row.transactionId === transactionId &&
          row.kind === kind &&
          row.amount === amount &&
          row.state === 'SUCCEEDED' &&
          row.evidence !== 'OPERATOR',
      ).length,
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
        .map((row) => toOperation(shown(row))),
    list: async (open, limit) =>
      all()
        .filter(({ state }) => !open || OPEN.has(state))
        .slice(open ? 0 : -limit, open ? limit : undefined)
        .map((row) => toOperation(shown(row))),
    history: async () => [],
    settle: async (id, { applied, proof }) => {
      const row = rows.get(id);
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
      return toOperation(shown(row));
    },
    close: async () => {},
  };
}
