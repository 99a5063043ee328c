import type { Database, Queryable } from '../../../database/database.ts';
import type { Change } from '../engine/change.ts';
import { isProof, withSuccess } from '../engine/machine.ts';
import type { Operation, OperationIn } from '../engine/operation.ts';
import { addEvent, isUniqueViolation, toJsonb } from './events.ts';
import { COLUMNS, findOne, type OperationRow } from './operation-row.ts';
import type { Held } from './operation-store.ts';

/**
 * Records a change if the caller may, and otherwise adds it as an event. Returns the operation
 * as it is now.
 */
export async function record(
  database: Database,
  operation: Held | OperationIn<'SENDING'>,
  change: Change,
): Promise<Operation | undefined> {
  const apply = (applied: Change) =>
    database.transaction(async (tx) => {
      if (!(await applyChange(tx, operation, applied))) {
        await addEvent(tx, operation, null, null, { late: change.to });
      }
      return findOne(tx, 'id = $1', [operation.id]);
    });
  try {
    const ended =
      change.to === 'SUCCEEDED' && isProof(change)
        ? await endAtOnce(database, operation, change)
        : undefined;
    return ended ?? (await apply(change));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another operation has just claimed the entry. A response that proves the success is
    // confirmed by a later read.
    return isProof(change)
      ? apply({ to: 'UNKNOWN', response: { kind: 'ACCEPTED' } })
      : findOne(database, 'id = $1', [operation.id]);
  }
}

/** Whether the change was recorded: by the holder of the epoch, or because it is a proof. */
async function applyChange(tx: Queryable, operation: Held, change: Change): Promise<boolean> {
  switch (change.to) {
    case 'SENDING':
      return false;
    case 'REMOVED':
      return (await remove(tx, operation)) || release(tx, operation, 'SENDING');
    case 'RELEASED':
      return release(tx, operation, 'UNKNOWN');
    default:
      return update(tx, operation, change);
  }
}

/** A change to a state after the POST was sent. */
type Update = Extract<
  Change,
  { readonly to: 'SUCCEEDED' | 'REJECTED' | 'UNKNOWN' | 'NOT_APPLIED' }
>;

async function update(tx: Queryable, { id, epoch }: Held, change: Update): Promise<boolean> {
  // A response belongs to the POST that is being sent. If it were recorded a second time, it would
  // replace what a read has concluded from it.
  const isResponse = change.to === 'UNKNOWN' && change.response != null;
  const [before] = await tx.query<OperationRow>(
    `SELECT ${COLUMNS} FROM money_operation
     WHERE id = $1 AND (epoch = $2 OR $3) AND (state = 'SENDING' OR state = 'UNKNOWN' AND NOT $4)
     FOR UPDATE`,
    [id, epoch, isProof(change), isResponse],
  );
  if (before === undefined) return false;
  if (change.to === 'UNKNOWN') await toUnknown(tx, id, change);
  else await end(tx, id, change);
  await addEvent(tx, before, before.state, change.to, detailOf(change));
  return true;
}

async function end(
  tx: Queryable,
  id: string,
  change: Exclude<Update, { readonly to: 'UNKNOWN' }>,
): Promise<void> {
  const { entry = null, seen = null } = change.to === 'SUCCEEDED' ? change : {};
  await tx.query(
    `UPDATE money_operation SET state = $2, evidence = $3, rejection = $4,
       entry_line = $5, entry_properties = $6, seen = $7,
       transaction_id = COALESCE($8, transaction_id), lease_until = NULL, resolved_at = now()
     WHERE id = $1`,
    [
      id,
      change.to,
      change.evidence,
      'rejection' in change ? toJsonb(change.rejection) : null,
      entry?.line ?? null,
      entry?.properties ?? null,
      seen && toJsonb(seen),
      'transactionId' in change ? change.transactionId : null,
    ],
  );
}

/**
 * The same as `update` for a proof, in one statement, which returns only what is not known. Undefined
 * if it may not be recorded. The row is locked before it is changed, because the event contains its
 * previous state.
 */
async function endAtOnce(
  database: Database,
  operation: Held | OperationIn<'SENDING'>,
  change: Change & { readonly to: 'SUCCEEDED' },
): Promise<Operation | undefined> {
  const { id } = operation;
  const { evidence, entry, seen, transactionId } = change;
  const [row] = await database.prepared<{ epoch: number; resolvedAt: Date }>(
    `WITH before AS (
       SELECT id, state FROM money_operation
       WHERE id = $1 AND state IN ('SENDING', 'UNKNOWN') FOR UPDATE
     ), ended AS (
       UPDATE money_operation SET state = 'SUCCEEDED', evidence = $2, rejection = NULL,
         entry_line = $3, entry_properties = $4, seen = $5,
         transaction_id = COALESCE($6, transaction_id), lease_until = NULL, resolved_at = now()
       FROM before WHERE money_operation.id = before.id RETURNING money_operation.*
     ), event AS (
       INSERT INTO money_operation_event
         (operation, from_state, to_state, epoch, detail, elapsed)
       SELECT ended.id, before.state, ended.state, ended.epoch, '{}', store_clock.elapsed
       FROM ended, before, store_clock
     ) SELECT epoch, resolved_at AS "resolvedAt" FROM ended`,
    [
      id,
      evidence,
      entry?.line ?? null,
      entry?.properties ?? null,
      seen === undefined ? null : toJsonb(seen),
      transactionId ?? null,
    ],
  );
  if (row === undefined) return undefined;
  // Whatever changes an operation while it is sent gives it another epoch.
  return 'state' in operation && operation.state === 'SENDING' && operation.epoch === row.epoch
    ? withSuccess(operation, change, row.resolvedAt)
    : findOne(database, 'id = $1', [id]);
}

/** Properties that the change leaves out stay as they are. */
async function toUnknown(
  tx: Queryable,
  id: string,
  { needsOperator, response, posts, searchPlace }: Change & { readonly to: 'UNKNOWN' },
): Promise<void> {
  await tx.query(
    `UPDATE money_operation SET state = 'UNKNOWN', needs_operator = needs_operator OR $2,
       posts = COALESCE($3, posts), search_place = COALESCE($4, search_place), lease_until = NULL
     WHERE id = $1`,
    [
      id,
      needsOperator === true,
      posts ?? null,
      searchPlace === undefined ? null : toJsonb(searchPlace),
    ],
  );
  if (response === undefined) return;
  await tx.query(
    'UPDATE money_operation SET response = $2, responded_elapsed = NULL WHERE id = $1',
    [id, response && toJsonb(response)],
  );
}

/** What the history says about a change, besides the states. */
function detailOf(change: Update): object {
  if (change.to !== 'UNKNOWN') return {};
  const { needsOperator, response, posts } = change;
  return {
    ...(needsOperator === undefined ? {} : { needsOperator }),
    ...(response === undefined || response === null ? {} : { responded: response.kind }),
    ...(posts === undefined ? {} : { posts }),
  };
}

/** Removes an operation that was never sent. One that was released before keeps its row. */
async function remove(tx: Queryable, { id, epoch }: Held): Promise<boolean> {
  const [removed] = await tx.query<OperationRow>(
    `DELETE FROM money_operation
     WHERE id = $1 AND epoch = $2 AND state IN ('PREPARED', 'SENDING') AND posts <= 1
       AND response IS NULL
     RETURNING ${COLUMNS}`,
    [id, epoch],
  );
  if (removed !== undefined) await addEvent(tx, removed, removed.state, null);
  return removed !== undefined;
}

/** Frees the lock key of an operation that can be sent again when its key is repeated. */
async function release(
  tx: Queryable,
  { id, epoch }: Held,
  from: 'SENDING' | 'UNKNOWN',
): Promise<boolean> {
  const [released] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'RELEASED', lease_until = NULL
     WHERE id = $1 AND epoch = $2 AND state = $3 AND posts = 1
       AND response ->> 'kind' = 'RELEASED'
     RETURNING ${COLUMNS}`,
    [id, epoch, from],
  );
  if (released !== undefined) await addEvent(tx, released, from, 'RELEASED');
  return released !== undefined;
}

/**
 * Records that a client is told of the operator's settlement. Returns true if the operation
 * has changed since it was read.
 */
export async function markReturned(tx: Queryable, operation: Held): Promise<boolean> {
  const [settled] = await tx.query<{ returned: boolean }>(
    `SELECT returned FROM money_operation
     WHERE id = $1 AND epoch = $2 AND evidence = 'OPERATOR' FOR UPDATE`,
    [operation.id, operation.epoch],
  );
  if (settled === undefined) return true;
  if (settled.returned) return false;
  await tx.query('UPDATE money_operation SET returned = true WHERE id = $1', [operation.id]);
  await addEvent(tx, operation, null, null, { returned: true });
  return false;
}
