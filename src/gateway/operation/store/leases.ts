import type { Queryable } from '../../../database/database.ts';
import { addEvent } from './events.ts';
import { COLUMNS, type OperationRow } from './operation-row.ts';

/** Which operations to check for an expired lease. */
export interface Checked {
  /** A condition in SQL. */
  readonly where: string;
  readonly values: readonly unknown[];
}

/**
 * Ends expired leases. A claimed operation is removed, because it was never sent. An operation
 * that was being sent becomes UNKNOWN, and its former owner may no longer record a rejection.
 */
export async function endLeases(tx: Queryable, { where, values }: Checked): Promise<void> {
  const removed = await tx.query<OperationRow>(
    `DELETE FROM money_operation
     WHERE state = 'PREPARED' AND lease_until <= now() AND (${where}) RETURNING ${COLUMNS}`,
    values,
  );
  for (const row of removed) await addEvent(tx, row, 'PREPARED', null, { why: 'lease ended' });
  const unknown = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, lease_until = NULL
     WHERE state = 'SENDING' AND lease_until <= now() AND (${where}) RETURNING ${COLUMNS}`,
    values,
  );
  for (const row of unknown) await addEvent(tx, row, 'SENDING', 'UNKNOWN', { why: 'lease ended' });
}
