import type { Database, Queryable } from '../../../database/database.ts';
import {
  isInProgress,
  type Operation,
  type OperationIn,
  type Snapshot,
} from '../engine/operation.ts';
import { addEvent, endLeases, isUniqueViolation, toJsonb } from './events.ts';
import { COLUMNS, findByKey, findOne, inState, OPEN, type OperationRow } from './operation-row.ts';
import {
  type Claim,
  FIRST_EPOCH,
  type Held,
  type Intent,
  type Retaken,
} from './operation-store.ts';

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
    if (claimed !== undefined) return { kind: 'CLAIMED', operation: claimed };
    const { merchantId, key } = intent;
    const known = await findByKey(database, merchantId, key);
    if (known !== undefined && !isInProgress(known)) return { kind: 'KNOWN', operation: known };
    const inTheWay = await database.transaction((tx) => findInTheWay(tx, intent));
    if (inTheWay !== undefined) return inTheWay;
    // The operation in the way has just gone.
  }
}

/** One statement, because every new operation begins with it. It returns only what is not known. */
async function insert(
  database: Database,
  intent: Intent,
  id: string,
  lease: string,
): Promise<OperationIn<'PREPARED'> | undefined> {
  const { merchantId, key, kind, lockKey, transactionId, amount, currency, fingerprint } = intent;
  const [claimed] = await database.prepared<Pick<Operation, 'createdAt'>>(
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
     ) SELECT created_at AS "createdAt" FROM claimed`,
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
  if (claimed === undefined) return undefined;
  const prepared = { ...claimed, id, epoch: FIRST_EPOCH, state: 'PREPARED' } as const;
  return intent.kind === 'CREATE'
    ? { ...intent, ...prepared, searchPlace: null }
    : { ...intent, ...prepared };
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

/**
 * RELEASED to UNKNOWN, with a new epoch: the operation holds its lock key again. The service is
 * read before another POST is sent.
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
    // Nobody was told of the operation, so it counts as new, and lists show it as new.
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

/**
 * PREPARED to SENDING, for the first POST. Undefined if the claim was lost.
 *
 * @param ifFirst returns undefined also if a movement of this kind and amount has succeeded on the
 *   transaction
 */
export async function startSending(
  database: Database,
  prepared: Operation,
  snapshot: Snapshot,
  ifFirst: boolean,
  lease: string,
): Promise<OperationIn<'SENDING'> | undefined> {
  if (prepared.state !== 'PREPARED') return undefined;
  const { id, epoch, transactionId, kind, amount } = prepared;
  // The transaction, kind and amount are parameters. If they were taken from the row, PostgreSQL
  // could plan to read the whole table.
  const started = await database.prepared(
    `WITH sending AS (
       UPDATE money_operation SET state = 'SENDING', snapshot = $3, posts = 1,
         sending_at = now(), lease_until = ${lease}
       WHERE id = $1 AND epoch = $2 AND state = 'PREPARED'
         AND NOT ($4 AND EXISTS (SELECT FROM money_operation AS other
           WHERE other.transaction_id = $5 AND other.kind = $6 AND other.amount = $7
             AND other.state = 'SUCCEEDED' AND NOT other.waived))
       RETURNING *
     ), event AS (
       INSERT INTO money_operation_event
         (operation, from_state, to_state, epoch, detail, elapsed)
       SELECT sending.id, 'PREPARED', 'SENDING', sending.epoch, '{}', store_clock.elapsed
       FROM sending, store_clock
     ) SELECT id FROM sending`,
    [id, epoch, toJsonb(snapshot), ifFirst, transactionId, kind, amount],
  );
  if (started.length === 0) return undefined;
  return toSending(prepared, snapshot);
}

function toSending(prepared: OperationIn<'PREPARED'>, snapshot: Snapshot): OperationIn<'SENDING'> {
  const sent = { state: 'SENDING', sinceSendingMs: 0, posts: 1 } as const;
  if (prepared.kind === 'CREATE' && 'newest' in snapshot) return { ...prepared, ...sent, snapshot };
  if (prepared.kind !== 'CREATE' && 'trail' in snapshot) return { ...prepared, ...sent, snapshot };
  throw new TypeError(`A ${prepared.kind} has another snapshot.`);
}

/** UNKNOWN to SENDING, for another POST. Undefined if another process changed it first. */
export async function repost(
  tx: Queryable,
  { id, epoch }: Held,
  posts: 1 | 2,
  lease: string,
): Promise<OperationIn<'SENDING'> | undefined> {
  const [row] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'SENDING', posts = $3, epoch = epoch + 1,
       sending_at = now(), sending_elapsed = NULL, lease_until = ${lease}
     WHERE id = $1 AND epoch = $2 AND state = 'UNKNOWN' AND posts = 1 AND NOT needs_operator
     RETURNING ${COLUMNS}`,
    [id, epoch, posts],
  );
  if (row === undefined) return undefined;
  await addEvent(tx, row, 'UNKNOWN', 'SENDING', { posts });
  return inState('SENDING', row);
}
