import type {
  EntryIdentity,
  OperationState,
  ServiceResponse,
  SnapshotEntry,
} from '../../../src/gateway/money/engine/operation.ts';
import { type OperationRow, toOperation } from '../../../src/gateway/money/store/operation-row.ts';
import type {
  Held,
  Intent,
  Sweep,
  Swept,
} from '../../../src/gateway/money/store/operation-store.ts';

/** A row of the table of operations: what a reader sees, and the columns behind it. */
export type Row = { -readonly [K in keyof OperationRow]: OperationRow[K] } & {
  leaseUntil: number | null;
  sendingElapsed: number | null;
  endedElapsed: number | null;
  respondedElapsed: number | null;
  seen: readonly SnapshotEntry[] | null;
  waived: boolean;
  returned: boolean;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const LONGEST_LEASE_MS = 60 * 60 * 1_000;
const TOLERANCE_MS = 60_000;
const OPEN = new Set<OperationState>(['PREPARED', 'SENDING', 'UNKNOWN']);
const SENT = new Set<OperationState>(['SENDING', 'UNKNOWN']);

/** Whether the operation of a row has not ended. */
export const isOpen = ({ state }: Row): boolean => OPEN.has(state);

/** Whether a row has claimed an entry. */
export const hasEntry = ({ entryLine, entryProperties }: Row): boolean =>
  entryLine !== null || entryProperties !== null;

/** The rows of one store, with its clocks. */
export type Table = ReturnType<typeof createTable>;

/**
 * Creates an empty table.
 *
 * @param now the clock of the database, in milliseconds
 */
export function createTable(now: () => number, leaseMs: number) {
  const rows = new Map<string, Row>();
  const clock = { elapsed: 0, sweptAt: now() };

  /** The operation as the database returns it. */
  const show = (row: Row) =>
    toOperation({
      ...row,
      sinceSendingMs: row.sendingElapsed === null ? 0 : clock.elapsed - row.sendingElapsed,
      sinceResponseMs: row.respondedElapsed === null ? 0 : clock.elapsed - row.respondedElapsed,
    });
  const find = (isWanted: (row: Row) => boolean): Row | undefined => {
    for (const row of rows.values()) if (isWanted(row)) return row;
    return undefined;
  };
  const lease = (row: Row): void => {
    row.leaseUntil = now() + leaseMs;
  };
  const endLeases = (isWanted: (row: Row) => boolean): void => {
    for (const row of rows.values()) {
      if (row.leaseUntil === null || !isWanted(row)) continue;
      const leftMs = row.leaseUntil - now();
      if (leftMs > 0 && leftMs <= LONGEST_LEASE_MS) continue;
      if (row.state === 'PREPARED') rows.delete(row.id);
      else if (row.state === 'SENDING') {
        Object.assign(row, { state: 'UNKNOWN', epoch: row.epoch + 1, leaseUntil: null });
        setResponse(row, null);
      }
    }
  };
  /** Keeps what the service responded; a sweep notes the time. */
  const setResponse = (row: Row, response: ServiceResponse | null): void => {
    Object.assign(row, { response, respondedElapsed: null });
  };
  /** Whether another row has claimed the entry: each of its two names is unique. */
  const isClaimed = ({ id }: Row, { line, properties }: EntryIdentity): boolean =>
    find(
      (row) =>
        row.id !== id &&
        ((line !== null && row.entryLine === line) ||
          (properties !== null && row.entryProperties === properties)),
    ) !== undefined;

  return {
    now,
    clock,
    all: () => [...rows.values()],
    show,
    find,
    /** The row if it has this epoch and is in this state. */
    owned: ({ id, epoch }: Held, state: OperationState) => {
      const row = rows.get(id);
      return row?.epoch === epoch && row.state === state ? row : undefined;
    },
    get: (id: string) => rows.get(id),
    insert: (intent: Intent, id: string): Row => {
      const row = toRow(intent, id, new Date(now()));
      lease(row);
      rows.set(row.id, row);
      return row;
    },
    remove: ({ id }: Row): void => {
      rows.delete(id);
    },
    lease,
    endLeases,
    setResponse,
    isClaimed,
  };
}

/**
 * Advances the clock of the table by the smaller of what its own and the given clock show, ends
 * expired leases, and deletes what is past its retention.
 */
export function sweep({ clock, now, all, remove, endLeases }: Table, given: Sweep): Swept {
  const { retentionDays, ownMs } = given;
  const delta = now() - clock.sweptAt;
  clock.elapsed += Math.round(Math.max(0, Math.min(ownMs, delta)));
  clock.sweptAt = now();
  endLeases(() => true);
  for (const row of all()) {
    if (SENT.has(row.state)) row.sendingElapsed ??= clock.elapsed;
    if (row.state === 'UNKNOWN' && row.response !== null) row.respondedElapsed ??= clock.elapsed;
    if (!isOpen(row)) row.endedElapsed ??= clock.elapsed;
    const { endedElapsed } = row;
    if (endedElapsed !== null && endedElapsed < clock.elapsed - retentionDays * DAY_MS) remove(row);
  }
  const isJump = delta < -TOLERANCE_MS || (ownMs > 0 && delta - ownMs > TOLERANCE_MS);
  return { clockJumpMs: isJump ? Math.round(delta - ownMs) : 0, isFull: false };
}

function toRow(intent: Intent, id: string, createdAt: Date): Row {
  return {
    ...intent,
    id,
    state: 'PREPARED',
    posts: 0,
    epoch: 1,
    leaseUntil: null,
    needsOperator: false,
    snapshot: null,
    response: null,
    respondedElapsed: null,
    rejection: null,
    searchPlace: null,
    entryLine: null,
    entryProperties: null,
    seen: null,
    waived: false,
    returned: false,
    evidence: null,
    createdAt,
    sendingElapsed: null,
    endedElapsed: null,
    sinceSendingMs: 0,
    sinceResponseMs: 0,
    resolvedAt: null,
  };
}
