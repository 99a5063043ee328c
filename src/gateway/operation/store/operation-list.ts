import type { Queryable } from '../../../database/database.ts';
import type { Operation, OperationState } from '../operation.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';

/** Where an operation is in a list: lists are in the order of both. */
export interface Place {
  /** When it was recorded, in microseconds since 1970. */
  readonly createdMicros: number;
  readonly id: string;
}

/** Which operations of a merchant to list. */
export interface OperationQuery {
  readonly merchantId: string;
  /** Only this operation. */
  readonly id?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly states: readonly OperationState[];
  /** The first time of recording that is included. */
  readonly from?: Date | undefined;
  /** The first time of recording that is not included. */
  readonly to?: Date | undefined;
  /** Whether the list is read from older to newer operations. */
  readonly backward: boolean;
  /** The list begins behind this place, in the direction of reading. */
  readonly start?: Place | undefined;
  /** The list ends before this place, in the direction of reading. */
  readonly end?: Place | undefined;
  readonly limit: number;
}

/** An operation with its place in a list. */
export interface ListedOperation {
  readonly operation: Operation;
  readonly place: Place;
  /** Whether a caller was told of the operator's settlement, so that it is final. */
  readonly returned: boolean;
}

interface ListedRow extends OperationRow {
  readonly createdMicros: number;
  readonly returned: boolean;
}

/** Lists operations of a merchant, newest first unless the list is read backward. */
export async function listOfMerchant(
  db: Queryable,
  { merchantId, id, transactionId, states, from, to, backward, start, end, limit }: OperationQuery,
): Promise<ListedOperation[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const bindPlace = ({ createdMicros, id }: Place) =>
    `('epoch'::timestamptz + ${bind(createdMicros)}::bigint * interval '1 microsecond', ${bind(id)}::uuid)`;
  const [further, nearer] = backward ? ['>', '<'] : ['<', '>'];
  const conditions = [
    `merchant_id = ${bind(merchantId)}`,
    // As constants, so that the database can use the index of operations without success.
    `state IN (${states.map((state) => `'${state}'`).join(', ')})`,
    ...(id === undefined ? [] : [`id = ${bind(id)}::uuid`]),
    ...(transactionId === undefined ? [] : [`transaction_id = ${bind(transactionId)}`]),
    ...(from === undefined ? [] : [`created_at >= ${bind(from)}`]),
    ...(to === undefined ? [] : [`created_at < ${bind(to)}`]),
    ...(start === undefined ? [] : [`(created_at, id) ${further} ${bindPlace(start)}`]),
    ...(end === undefined ? [] : [`(created_at, id) ${nearer} ${bindPlace(end)}`]),
  ];
  const direction = backward ? 'ASC' : 'DESC';
  const rows = await db.query<ListedRow>(
    `SELECT ${COLUMNS}, returned, (extract(epoch FROM created_at) * 1000000)::bigint AS "createdMicros"
     FROM money_operation WHERE ${conditions.join(' AND ')}
     ORDER BY created_at ${direction}, id ${direction} LIMIT ${bind(limit)}`,
    values,
  );
  return rows.map((row) => ({
    operation: toOperation(row),
    place: { createdMicros: row.createdMicros, id: row.id },
    returned: row.returned,
  }));
}
