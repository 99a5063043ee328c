import type { Queryable } from '../../../database/database.ts';
import type { Operation } from '../operation.ts';

/** The columns of an operation under the names of {@link Operation}. */
export const COLUMNS = `id, merchant_id AS "merchantId", key, kind, lane,
  transaction_id AS "transactionId", amount, currency, encode(fingerprint, 'hex') AS fingerprint,
  state, posts, epoch, needs_operator AS "needsOperator", pre_image AS "preImage", error AS refusal,
  entry_ref AS "entryRef", evidence, created_at AS "createdAt", sending_at AS "sendingAt",
  (EXTRACT(EPOCH FROM now() - sending_at) * 1000)::float8 AS "sinceSendingMs",
  resolved_at AS "resolvedAt"`;

/** A value as JSON that PostgreSQL takes: a service's words may hold what it refuses to keep. */
export function toJsonb(value: unknown): string {
  return JSON.stringify(storable(value));
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [storable(name), storable(of)]),
  );
}

/** Adds an event to the history of an operation; nothing ever changes one. */
export async function addEvent(
  tx: Queryable,
  operation: Pick<Operation, 'id' | 'epoch'>,
  from: Operation['state'] | null,
  to: Operation['state'] | null,
  detail: object = {},
): Promise<void> {
  await tx.query(
    `INSERT INTO money_operation_event (operation, from_state, to_state, epoch, detail)
     VALUES ($1, $2, $3, $4, $5)`,
    [operation.id, from, to, operation.epoch, toJsonb(detail)],
  );
}

/** Which operations a touch is about; those whose lease ran out lose it. */
export interface Touched {
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * Ends the leases that ran out: what was only claimed is removed, for it was never sent;
 * what was being sent is unknown from now on, and its late owner may record no refusal.
 */
export async function endLeases(tx: Queryable, { where, values }: Touched): Promise<void> {
  const removed = await tx.query<Operation>(
    `DELETE FROM money_operation
     WHERE state = 'PREPARED' AND lease_until <= now() AND (${where}) RETURNING ${COLUMNS}`,
    values,
  );
  for (const operation of removed) {
    await addEvent(tx, operation, 'PREPARED', null, { why: 'lease ended' });
  }
  const unknown = await tx.query<Operation>(
    `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, lease_until = NULL
     WHERE state = 'SENDING' AND lease_until <= now() AND (${where}) RETURNING ${COLUMNS}`,
    values,
  );
  for (const operation of unknown) {
    await addEvent(tx, operation, 'SENDING', 'UNKNOWN', { why: 'lease ended' });
  }
}
