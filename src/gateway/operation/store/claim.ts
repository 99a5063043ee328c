import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../database/database.ts';
import { addEvent } from './events.ts';
import { findOne, OPEN } from './find.ts';
import { endLeases } from './leases.ts';
import { COLUMNS, inState, type OperationRow } from './operation-row.ts';
import type { Claim, Intent } from './operation-store.ts';

/** Version of what is hashed into a fingerprint; fingerprints of two versions cannot be compared. */
const FINGERPRINT_VERSION = 1;

/**
 * Inserts the operation, which takes its key and its lock key. Otherwise returns the operation
 * that holds one of them.
 *
 * @param lease SQL expression of the time when the lease ends
 */
export async function claim(tx: Queryable, intent: Intent, lease: string): Promise<Claim> {
  const { merchantId, key, kind, lockKey, transactionId, amount, currency, fingerprint } = intent;
  const [claimed] = await tx.query<OperationRow>(
    `INSERT INTO money_operation (id, merchant_id, key, kind, lock_key, transaction_id, amount,
       currency, fingerprint_version, fingerprint, state, epoch, lease_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, decode($10, 'hex'), 'PREPARED', 1, ${lease})
     ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [
      randomUUID(),
      merchantId,
      key,
      kind,
      lockKey,
      transactionId,
      amount,
      currency,
      FINGERPRINT_VERSION,
      fingerprint,
    ],
  );
  if (claimed !== undefined) {
    await addEvent(tx, claimed, null, 'PREPARED');
    return { kind: 'CLAIMED', operation: inState('PREPARED', claimed) };
  }
  await endLeases(tx, {
    where: '(merchant_id = $1 AND key = $2) OR lock_key = $3',
    values: [merchantId, key, lockKey],
  });
  const known = await findOne(tx, 'merchant_id = $1 AND key = $2', [merchantId, key]);
  if (known !== undefined) return { kind: 'KNOWN', operation: known };
  const open = await findOne(tx, `lock_key = $1 AND ${OPEN}`, [lockKey]);
  if (open !== undefined) return { kind: 'BUSY', operation: open };
  // The operation in the way has just gone.
  return claim(tx, intent, lease);
}
