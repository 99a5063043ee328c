import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../../database/database.ts';
import { type Change, isProof } from '../machine.ts';
import type { Operation } from '../operation.ts';
import { addEvent, COLUMNS, endLeases, toJsonb } from './operation-row.ts';
import type { Claim, Decision, Intent, OperationStore } from './operation-store.ts';

/** Version of what goes into a fingerprint; another version's keys are not comparable. */
const FINGERPRINT_VERSION = 1;
const UNIQUE_VIOLATION = '23505';
/** However much has piled up, a sweep stays within a statement's time; the next one goes on. */
const FORGOTTEN_AT_ONCE = 1_000;
/** Before all others. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const OPEN = `state IN ('PREPARED', 'SENDING', 'UNKNOWN')`;

/** The operations in a PostgreSQL, or PGlite; the statements are the same. */
export function createSqlStore(database: Database, leaseMs: number): OperationStore {
  const lease = `now() + interval '${Math.round(leaseMs)} milliseconds'`;

  async function one(tx: Queryable, where: string, values: readonly unknown[]) {
    const sql = `SELECT ${COLUMNS} FROM money_operation WHERE ${where}`;
    return (await tx.query<Operation>(sql, values))[0];
  }

  return {
    find: (merchantId, key) =>
      database.transaction(async (tx) => {
        const where = 'merchant_id = $1 AND key = $2';
        await endLeases(tx, { where, values: [merchantId, key] });
        return one(tx, where, [merchantId, key]);
      }),

    claim: (intent) => database.transaction((tx) => claim(tx, intent, lease, one)),

    startSending: (operation, before) =>
      database.transaction(async (tx) => {
        const [sending] = await tx.query<Operation>(
          `UPDATE money_operation SET state = 'SENDING', pre_image = $3, posts = 1,
             sending_at = now(), lease_until = ${lease}
           WHERE id = $1 AND epoch = $2 AND state = 'PREPARED' RETURNING ${COLUMNS}`,
          [operation.id, operation.epoch, toJsonb(before)],
        );
        if (sending !== undefined) await addEvent(tx, sending, 'PREPARED', 'SENDING');
        return sending;
      }),

    repost: (operation) =>
      database.transaction(async (tx) => {
        const [sending] = await tx.query<Operation>(
          `UPDATE money_operation SET state = 'SENDING', posts = 2, epoch = epoch + 1,
             sending_at = now(), lease_until = ${lease}
           WHERE id = $1 AND epoch = $2 AND state = 'UNKNOWN' AND posts = 1 RETURNING ${COLUMNS}`,
          [operation.id, operation.epoch],
        );
        if (sending !== undefined) await addEvent(tx, sending, 'UNKNOWN', 'SENDING', { posts: 2 });
        return sending;
      }),

    record: async (operation, change) => {
      try {
        return await database.transaction(async (tx) => {
          if (!(await apply(tx, operation, change))) {
            await addEvent(tx, operation, null, null, { late: change.to });
          }
          return one(tx, 'id = $1', [operation.id]);
        });
      } catch (error) {
        // The entry was claimed for another operation a moment ago: this one stays as it is.
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
        return one(database, 'id = $1', [operation.id]);
      }
    },

    countSucceeded: async ({ lane, kind, amount }) => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*) AS count FROM money_operation
         WHERE lane = $1 AND kind = $2 AND amount = $3
           AND state = 'SUCCEEDED' AND evidence <> 'OPERATOR'`,
        [lane, kind, amount],
      );
      return row?.count ?? 0;
    },

    claimedEntries: async (refs) => {
      const rows = await database.query<{ entry_ref: string }>(
        'SELECT entry_ref FROM money_operation WHERE entry_ref = ANY($1)',
        [refs],
      );
      return new Set(rows.map((row) => row.entry_ref));
    },

    sweep: (retentionDays) =>
      database.transaction(async (tx) => {
        await endLeases(tx, { where: 'true', values: [] });
        const gone = await tx.query<{ id: string }>(
          `DELETE FROM money_operation WHERE id IN (SELECT id FROM money_operation
             WHERE resolved_at < now() - $1 * interval '1 day' LIMIT ${FORGOTTEN_AT_ONCE})
           RETURNING id`,
          [retentionDays],
        );
        await tx.query('DELETE FROM money_operation_event WHERE operation = ANY($1)', [
          gone.map(({ id }) => id),
        ]);
        await tx.query(
          `DELETE FROM money_operation_event WHERE seq IN (SELECT seq FROM money_operation_event
             WHERE at < now() - $1 * interval '1 day'
               AND NOT EXISTS (SELECT FROM money_operation AS of WHERE of.id = operation)
             LIMIT ${FORGOTTEN_AT_ONCE})`,
          [retentionDays],
        );
      }),

    list: (open, limit) =>
      database.query<Operation>(
        `SELECT ${COLUMNS} FROM money_operation ${open ? `WHERE ${OPEN}` : ''}
         ORDER BY created_at ${open ? '' : 'DESC'} LIMIT $1`,
        [limit],
      ),

    undecided: (after, limit) =>
      database.query<Operation>(
        `SELECT ${COLUMNS} FROM money_operation
         WHERE state = 'UNKNOWN' AND NOT needs_operator AND id > $1 ORDER BY id LIMIT $2`,
        [after ?? FIRST_ID, limit],
      ),

    history: (id) =>
      database.query(
        `SELECT at, from_state AS "from", to_state AS "to", detail
         FROM money_operation_event WHERE operation = $1 ORDER BY seq`,
        [id],
      ),

    decide: (id, decision) => database.transaction((tx) => decide(tx, id, decision)),

    close: () => database.close(),
  };
}

type One = (
  tx: Queryable,
  where: string,
  values: readonly unknown[],
) => Promise<Operation | undefined>;

async function claim(tx: Queryable, intent: Intent, lease: string, one: One): Promise<Claim> {
  const { merchantId, key, kind, lane, amount, currency, fingerprint } = intent;
  await endLeases(tx, {
    where: '(merchant_id = $1 AND key = $2) OR lane = $3',
    values: [merchantId, key, lane],
  });
  const [claimed] = await tx.query<Operation>(
    `INSERT INTO money_operation (id, merchant_id, key, kind, lane, transaction_id, amount,
       currency, fingerprint_version, fingerprint, state, epoch, lease_until)
     VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, decode($9, 'hex'), 'PREPARED', 1, ${lease})
     ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [randomUUID(), merchantId, key, kind, lane, amount, currency, FINGERPRINT_VERSION, fingerprint],
  );
  if (claimed !== undefined) {
    await addEvent(tx, claimed, null, 'PREPARED');
    return { kind: 'CLAIMED', operation: claimed };
  }
  const known = await one(tx, 'merchant_id = $1 AND key = $2', [merchantId, key]);
  if (known !== undefined) return { kind: 'KNOWN', operation: known };
  const open = await one(tx, `lane = $1 AND ${OPEN}`, [lane]);
  if (open !== undefined) return { kind: 'BUSY', operation: open };
  // What was in the way has just gone; the next attempt of the caller finds the way free.
  return claim(tx, intent, lease, one);
}

/** Whether the change was recorded: by the owner of the epoch, or because it is a proof. */
async function apply(tx: Queryable, operation: Operation, change: Change): Promise<boolean> {
  const { id, epoch } = operation;
  if (change.to === 'REMOVED') {
    const [removed] = await tx.query<Operation>(
      `DELETE FROM money_operation
       WHERE id = $1 AND epoch = $2 AND state IN ('PREPARED', 'SENDING') AND posts <= 1
       RETURNING ${COLUMNS}`,
      [id, epoch],
    );
    if (removed !== undefined) await addEvent(tx, removed, removed.state, null);
    return removed !== undefined;
  }
  if (change.to === 'SENDING') return false;
  const needsOperator = change.to === 'UNKNOWN' && change.needsOperator === true;
  const [before] = await tx.query<Operation>(
    `SELECT ${COLUMNS} FROM money_operation
     WHERE id = $1 AND (epoch = $2 OR $3) AND state IN ('SENDING', 'UNKNOWN') FOR UPDATE`,
    [id, epoch, isProof(change)],
  );
  if (before === undefined) return false;
  await tx.query(
    `UPDATE money_operation SET state = $2, evidence = $3, error = $4,
       entry_ref = COALESCE($5, entry_ref), transaction_id = COALESCE($6, transaction_id),
       needs_operator = needs_operator OR $7, lease_until = NULL,
       resolved_at = CASE WHEN $3::text IS NULL THEN NULL ELSE now() END
     WHERE id = $1`,
    [
      id,
      change.to,
      'evidence' in change ? change.evidence : null,
      'refusal' in change ? toJsonb(change.refusal) : null,
      'entryRef' in change ? change.entryRef : null,
      'transactionId' in change ? change.transactionId : null,
      needsOperator,
    ],
  );
  await addEvent(tx, before, before.state, change.to, needsOperator ? { needsOperator } : {});
  return true;
}

async function decide(
  tx: Queryable,
  id: string,
  { applied, proof, note, by }: Decision,
): Promise<Operation | 'PROOF_TAKEN' | undefined> {
  if (proof !== undefined && (await isTaken(tx, proof, id))) return 'PROOF_TAKEN';
  const [decided] = await tx.query<Operation>(
    `UPDATE money_operation SET state = $2, evidence = 'OPERATOR', resolved_at = now(),
       entry_ref = CASE WHEN kind = 'CREATE' THEN NULL ELSE COALESCE($3, entry_ref) END,
       transaction_id = CASE WHEN kind = 'CREATE' THEN $3 ELSE transaction_id END,
       epoch = epoch + 1, lease_until = NULL
     WHERE id = $1 AND state = 'UNKNOWN' RETURNING ${COLUMNS}`,
    [id, applied ? 'SUCCEEDED' : 'NOT_APPLIED', proof ?? null],
  );
  if (decided !== undefined) {
    await addEvent(tx, decided, 'UNKNOWN', decided.state, { by, note, proof });
  }
  return decided;
}

/**
 * Whether a proof belongs to another operation than this. Two decisions by one proof come
 * one after the other, so that the second sees the first.
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
