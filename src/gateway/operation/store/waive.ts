import type { Queryable } from '../../../database/database.ts';
import type { Operation } from '../operation.ts';
import { addEvent } from './events.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';
import type { Waiver } from './operation-store.ts';

/**
 * Gives up the entry of an operation that succeeded, so that other operations of its kind and
 * amount no longer wait until the service shows it. Undefined if none waits for it.
 */
export async function waive(
  tx: Queryable,
  id: string,
  { note, by, verified }: Waiver,
): Promise<Operation | undefined> {
  const [waived] = await tx.query<OperationRow>(
    `UPDATE money_operation SET waived = true
     WHERE id = $1 AND state = 'SUCCEEDED' AND kind <> 'CREATE' AND evidence <> 'OPERATOR'
       AND NOT waived
     RETURNING ${COLUMNS}`,
    [id],
  );
  if (waived === undefined) return undefined;
  await addEvent(tx, waived, null, null, { by, note, verified, waived: true });
  return toOperation(waived);
}
