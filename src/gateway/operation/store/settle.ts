import type { Queryable } from '../../../database/database.ts';
import type { Operation } from '../operation.ts';
import { addEvent } from './events.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';
import type { Settlement } from './operation-store.ts';

/** Ends an UNKNOWN operation by the operator's settlement. Undefined if it is not UNKNOWN. */
export async function settle(
  tx: Queryable,
  id: string,
  { applied, proof, note, by }: Settlement,
): Promise<Operation | 'PROOF_TAKEN' | undefined> {
  if (proof !== undefined && (await isTaken(tx, proof, id))) return 'PROOF_TAKEN';
  const [settled] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = $2, evidence = 'OPERATOR', resolved_at = now(),
       entry_ref = CASE WHEN kind = 'CREATE' THEN NULL ELSE COALESCE($3, entry_ref) END,
       transaction_id = CASE WHEN kind = 'CREATE' THEN $3 ELSE transaction_id END,
       epoch = epoch + 1, lease_until = NULL
     WHERE id = $1 AND state = 'UNKNOWN' RETURNING ${COLUMNS}`,
    [id, applied ? 'SUCCEEDED' : 'NOT_APPLIED', proof ?? null],
  );
  if (settled === undefined) return undefined;
  await addEvent(tx, settled, 'UNKNOWN', settled.state, { by, note, proof });
  return toOperation(settled);
}

/**
 * Whether a proof belongs to another operation. The lock makes two settlements with one proof
 * run one after the other, so that the second sees the first.
 */
async function isTaken(tx: Queryable, proof: string, id: string): Promise<boolean> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [proof]);
  const taken = await tx.query(
    `SELECT id FROM money_operation
     WHERE (entry_ref = $1 OR (kind = 'CREATE' AND transaction_id = $1)) AND id <> $2 LIMIT 1`,
    [proof, id],
  );
  return taken.length > 0;
}
