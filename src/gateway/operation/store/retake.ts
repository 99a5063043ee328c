import type { Database, Queryable } from '../../../database/database.ts';
import { addEvent } from './events.ts';
import { findOne, OPEN } from './find.ts';
import { endLeases } from './leases.ts';
import { COLUMNS, inState, type OperationRow } from './operation-row.ts';
import type { Held, Retaken } from './operation-store.ts';
import { isUniqueViolation } from './unique-violation.ts';

/**
 * RELEASED to UNKNOWN, with a new epoch: the operation holds its lock key again, and is read
 * before it is sent.
 */
export async function retake(database: Database, { id, epoch }: Held): Promise<Retaken> {
  for (;;) {
    try {
      return await database.transaction((tx) => take(tx, id, epoch));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const [other] = await database.transaction((tx) => findHolder(tx, id));
    if (other !== undefined) return { kind: 'BUSY', operation: other };
    // The operation in the way has just gone.
  }
}

async function take(tx: Queryable, id: string, epoch: number): Promise<Retaken> {
  const [taken] = await tx.query<OperationRow>(
    // Nobody was told of it, so it is as new, and lists show it there.
    `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, ended_elapsed = NULL,
       created_at = now()
     WHERE id = $1 AND epoch = $2 AND state = 'RELEASED' RETURNING ${COLUMNS}`,
    [id, epoch],
  );
  if (taken === undefined) return { kind: 'GONE' };
  await addEvent(tx, taken, 'RELEASED', 'UNKNOWN');
  return { kind: 'TAKEN', operation: inState('UNKNOWN', taken) };
}

async function findHolder(tx: Queryable, id: string) {
  const isHolder = `lock_key = (SELECT lock_key FROM money_operation WHERE id = $1)`;
  await endLeases(tx, { where: isHolder, values: [id] });
  const other = await findOne(tx, `${isHolder} AND ${OPEN}`, [id]);
  return other === undefined ? [] : [other];
}
