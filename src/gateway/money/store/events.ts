import type { Queryable } from '../../../database/database.ts';
import type { OperationState } from '../engine/operation.ts';
import type { OperationEvent } from './operation-store.ts';

/**
 * A value as JSON that PostgreSQL can store. It rejects null characters and lone surrogates,
 * which a service's messages may contain.
 */
export function toJsonb(value: unknown): string {
  return JSON.stringify(storable(value));
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storable(name), storable(field)]),
  );
}

/** Adds an event to the history of an operation. Events are never changed. */
export async function addEvent(
  tx: Queryable,
  operation: { readonly id: string; readonly epoch: number },
  from: OperationState | null,
  to: OperationState | null,
  detail: object = {},
): Promise<void> {
  await tx.query(
    `INSERT INTO money_operation_event (operation, from_state, to_state, epoch, detail, elapsed)
     SELECT $1, $2, $3, $4, $5, elapsed FROM store_clock`,
    [operation.id, from, to, operation.epoch, toJsonb(detail)],
  );
}

/** The events of an operation, in order. */
export function listEvents(db: Queryable, id: string): Promise<OperationEvent[]> {
  return db.query(
    `SELECT at, from_state AS "from", to_state AS "to", detail
     FROM money_operation_event WHERE operation = $1 ORDER BY seq`,
    [id],
  );
}

/** Which operations to check for an expired lease. */
export interface Checked {
  /** A condition in SQL. */
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * Whether a lease has ended. No lease is longer than an hour. One that ends much later was written
 * before the clock of the database was set back, and would last as long as the clock was wrong.
 * A lease of an hour can end later than `now() + 1 hour`, because `now()` is the start of this
 * transaction, which may have begun before the lease.
 */
const EXPIRED = `(lease_until <= now() OR lease_until > now() + interval '2 hours')`;

/** Maximum number of rows that one statement changes, so that it stays within its time limit. */
export const AT_ONCE = 1_000;

/**
 * Ends expired leases, at most {@link AT_ONCE} of each kind. A claimed operation is removed,
 * because it was never sent. An operation that was being sent becomes UNKNOWN, and its former
 * owner may no longer record a rejection. What the service responded to an earlier POST says
 * nothing about this one. Returns true if there may be more to end.
 */
export async function endLeases(tx: Queryable, { where, values }: Checked): Promise<boolean> {
  const end = async (from: 'PREPARED' | 'SENDING', to: 'UNKNOWN' | null, change: string) => {
    const isExpired = `state = '${from}' AND ${EXPIRED}`;
    const ended = await tx.query(
      `WITH ended AS (
         ${change} WHERE ${isExpired} AND id IN (SELECT id FROM money_operation
           WHERE ${isExpired} AND (${where}) LIMIT ${AT_ONCE})
         RETURNING id, epoch
       ) INSERT INTO money_operation_event (operation, from_state, to_state, epoch, detail, elapsed)
       SELECT ended.id, '${from}', ${to === null ? 'NULL' : `'${to}'`}, ended.epoch,
         '{"why": "lease ended"}', store_clock.elapsed
       FROM ended, store_clock RETURNING operation`,
      values,
    );
    return ended.length >= AT_ONCE;
  };
  const mayRemoveMore = await end('PREPARED', null, 'DELETE FROM money_operation');
  const mayChangeMore = await end(
    'SENDING',
    'UNKNOWN',
    `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, lease_until = NULL,
       response = NULL, responded_elapsed = NULL`,
  );
  return mayRemoveMore || mayChangeMore;
}

/**
 * Whether a statement failed because a unique index already has the value. Both drivers put
 * PostgreSQL's error code into `code`.
 */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
