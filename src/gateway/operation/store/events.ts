import type { Queryable } from '../../../database/database.ts';
import type { OperationState } from '../operation.ts';
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
