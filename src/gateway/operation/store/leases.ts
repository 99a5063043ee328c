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
 * Whether a lease has ended. No lease is longer than an hour: what ends much later was written
 * before the clock of the database was set back, and would last as long as the clock was wrong.
 * A lease of an hour can end later than `now() + 1 hour`, because `now()` is the start of this
 * transaction, which may have begun before the lease.
 */
const EXPIRED = `(lease_until <= now() OR lease_until > now() + interval '2 hours')`;

/**
 * Ends expired leases. A claimed operation is removed, because it was never sent. An operation
 * that was being sent becomes UNKNOWN, and its former owner may no longer record a rejection.
 * What the service responded to an earlier POST says nothing about this one.
 */
export async function endLeases(tx: Queryable, { where, values }: Checked): Promise<void> {
  const removed = await tx.query<OperationRow>(
    `DELETE FROM money_operation
     WHERE state = 'PREPARED' AND ${EXPIRED} AND (${where}) RETURNING ${COLUMNS}`,
    values,
  );
  for (const row of removed) await addEvent(tx, row, 'PREPARED', null, { why: 'lease ended' });
  const unknown = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, lease_until = NULL,
       response = NULL, responded_elapsed = NULL
     WHERE state = 'SENDING' AND ${EXPIRED} AND (${where}) RETURNING ${COLUMNS}`,
    values,
  );
  for (const row of unknown) await addEvent(tx, row, 'SENDING', 'UNKNOWN', { why: 'lease ended' });
}
