import { type Change, isProof } from '../../src/gateway/operation/machine.ts';
import type { Operation } from '../../src/gateway/operation/operation.ts';
import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';

type Row = { -readonly [K in keyof Operation]: Operation[K] } & { leaseUntil: number };

const OPEN = new Set(['PREPARED', 'SENDING', 'UNKNOWN']);

/** The rules of the store without a database, for a simulator that makes its own time. */
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
  const seen = (row: Row): Operation => ({
    ...row,
    sinceSendingMs: row.sendingAt === null ? null : now() - row.sendingAt.getTime(),
  });
  const owned = ({ id, epoch }: Operation, ...states: Operation['state'][]) => {
    const row = rows.get(id);
    return row?.epoch === epoch && states.includes(row.state) ? row : undefined;
  };

  function apply(operation: Operation, change: Change): void {
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
    const final = to !== 'UNKNOWN';
    Object.assign(row, { state: to, leaseUntil: 0, ...rest });
    if (final) row.resolvedAt = new Date(now());
  }

  return {
    find: async (merchantId, key) => {
      const mine = (row: Row) => row.merchantId === merchantId && row.key === key;
      endLeases(mine);
      const row = all().find(mine);
      return row && seen(row);
    },
    claim: async (intent) => {
      const known = (row: Row) => row.merchantId === intent.merchantId && row.key === intent.key;
      const busy = (row: Row) =>
        row.lane !== null && row.lane === intent.lane && OPEN.has(row.state);
      endLeases((row) => known(row) || (row.lane !== null && row.lane === intent.lane));
      const found = all().find(known);
      if (found !== undefined) return { kind: 'KNOWN', operation: seen(found) };
      const open = all().find(busy);
      if (open !== undefined) return { kind: 'BUSY', operation: seen(open) };
      const row: Row = {
        ...intent,
        id: `operation ${++ids}`,
        transactionId: intent.lane,
        state: 'PREPARED',
        posts: 0,
        epoch: 1,
        leaseUntil: now() + leaseMs,
        needsOperator: false,
        preImage: null,
        refusal: null,
        entryRef: null,
        evidence: null,
        createdAt: new Date(now()),
        sendingAt: null,
        sinceSendingMs: null,
        resolvedAt: null,
      };
      rows.set(row.id, row);
      return { kind: 'CLAIMED', operation: seen(row) };
    },
    startSending: async (operation, preImage) => {
      const row = owned(operation, 'PREPARED');
      if (row === undefined) return undefined;
      const sendingAt = new Date(now());
      Object.assign(row, { state: 'SENDING', preImage, posts: 1, sendingAt });
      row.leaseUntil = now() + leaseMs;
      return seen(row);
    },
    repost: async (operation) => {
      const row = owned(operation, 'UNKNOWN');
      if (row?.posts !== 1) return undefined;
      const sendingAt = new Date(now());
      Object.assign(row, { state: 'SENDING', posts: 2, epoch: row.epoch + 1, sendingAt });
      row.leaseUntil = now() + leaseMs;
      return seen(row);
    },
    record: async (operation, change) => {
      apply(operation, change);
      const row = rows.get(operation.id);
      return row && seen(row);
    },
    countSucceeded: async ({ lane, kind, amount }) =>
      all().filter(
        (row) =>
          row.lane === lane &&
          row.kind === kind &&
          row.amount === amount &&
          row.state === 'SUCCEEDED' &&
          row.evidence !== 'OPERATOR',
      ).length,
    claimedEntries: async (refs) =>
      new Set(
        all().flatMap(({ entryRef }) =>
          refs.includes(entryRef ?? '') ? [entryRef as string] : [],
        ),
      ),
    sweep: async () => endLeases(() => true),
    undecided: async (after = '', limit) =>
      all()
        .filter(
          ({ id, state, needsOperator }) => state === 'UNKNOWN' && !needsOperator && id > after,
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(seen),
    list: async (open, limit) =>
      all()
        .filter(({ state }) => !open || OPEN.has(state))
        .slice(open ? 0 : -limit, open ? limit : undefined)
        .map(seen),
    history: async () => [],
    decide: async (id, { applied, proof }) => {
      const row = rows.get(id);
      if (row?.state !== 'UNKNOWN') return undefined;
      const proven = ({ kind, entryRef, transactionId }: Operation) =>
        entryRef === proof || (kind === 'CREATE' && transactionId === proof);
      if (proof !== undefined && all().some(proven)) return 'PROOF_TAKEN';
      Object.assign(row, {
        state: applied ? 'SUCCEEDED' : 'NOT_APPLIED',
        evidence: 'OPERATOR',
        epoch: row.epoch + 1,
        resolvedAt: new Date(now()),
        ...(row.kind === 'CREATE' ? { transactionId: proof } : { entryRef: proof ?? row.entryRef }),
      });
      return seen(row);
    },
    close: async () => {},
  };
}
