import type { Database, Queryable } from '../../../database/database.ts';
import { isInProgress } from '../operation.ts';
import { findByKey, findOne, OPEN } from './find.ts';
import { endLeases } from './leases.ts';
import { COLUMNS, inState, type OperationRow } from './operation-row.ts';
import { type Claim, FIRST_EPOCH, type Intent } from './operation-store.ts';

/** Version of what is hashed into a fingerprint; fingerprints of two versions cannot be compared. */
const FINGERPRINT_VERSION = 1;

/**
 * Inserts the operation, which takes its key and its lock key. Otherwise returns the operation
 * that holds one of them.
 *
 * @param id of the new operation
 * @param lease SQL expression of the time when the lease ends
 */
export async function claim(
  database: Database,
  intent: Intent,
  id: string,
  lease: string,
): Promise<Claim> {
  for (;;) {
    const claimed = await insert(database, intent, id, lease);
    if (claimed !== undefined) {
      return { kind: 'CLAIMED', operation: inState('PREPARED', claimed) };
    }
    const { merchantId, key } = intent;
    const known = await findByKey(database, merchantId, key);
    if (known !== undefined && !isInProgress(known)) return { kind: 'KNOWN', operation: known };
    const inTheWay = await database.transaction((tx) => findInTheWay(tx, intent));
    if (inTheWay !== undefined) return inTheWay;
    // The operation in the way has just gone.
  }
}

/** One statement, because every new operation begins with it. */
async function insert(database: Database, intent: Intent, id: string, lease: string) {
  const { merchantId, key, kind, lockKey, transactionId, amount, currency, fingerprint } = intent;
  const [claimed] = await database.prepared<OperationRow>(
    `WITH claimed AS (
       INSERT INTO money_operation (id, merchant_id, key, kind, lock_key, transaction_id, amount,
         currency, fingerprint_version, fingerprint, state, epoch, lease_until)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, decode($10, 'hex'),
         'PREPARED', ${FIRST_EPOCH}, ${lease})
       ON CONFLICT DO NOTHING RETURNING *
     ), event AS (
       INSERT INTO money_operation_event (operation, to_state, epoch, detail, elapsed)
       SELECT claimed.id, 'PREPARED', claimed.epoch, '{}', store_clock.elapsed
       FROM claimed, store_clock
     ) SELECT ${COLUMNS} FROM claimed`,
    [
      id,
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
  return claimed;
}

async function findInTheWay(
  tx: Queryable,
  { merchantId, key, lockKey }: Intent,
): Promise<Exclude<Claim, { readonly kind: 'CLAIMED' }> | undefined> {
  await endLeases(tx, {
    where: '(merchant_id = $1 AND key = $2) OR lock_key = $3',
    values: [merchantId, key, lockKey],
  });
  const known = await findOne(tx, 'merchant_id = $1 AND key = $2', [merchantId, key]);
  if (known !== undefined) return { kind: 'KNOWN', operation: known };
  const open = await findOne(tx, `lock_key = $1 AND ${OPEN}`, [lockKey]);
  return open && { kind: 'BUSY', operation: open };
}
