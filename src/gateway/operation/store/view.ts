import type { Queryable } from '../../../database/database.ts';
import { OPEN } from './find.ts';
import { endLeases } from './leases.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';
import type { OperatorView, ViewFilter } from './operation-store.ts';

interface ViewRow extends OperationRow {
  readonly waived: boolean;
  readonly verified: boolean | null;
}

/** The latest settlement is that of the last event with this key. */
const VIEW = `${COLUMNS}, waived,
  CASE WHEN evidence = 'OPERATOR' THEN COALESCE((SELECT (detail ->> 'verified')::boolean
    FROM money_operation_event AS event
    WHERE event.operation = money_operation.id AND detail ->> 'verified' IS NOT NULL
    ORDER BY seq DESC LIMIT 1), false) END AS verified`;

/** The open operations, oldest first; or all operations, newest first. Ends expired leases. */
export async function view(
  tx: Queryable,
  { open = false, limit, idPrefix, key, transactionId }: ViewFilter,
): Promise<OperatorView[]> {
  while (await endLeases(tx, { where: 'true', values: [] }));
  const rows = await tx.query<ViewRow>(
    `SELECT ${VIEW} FROM money_operation
     WHERE ${open ? OPEN : 'true'} AND ($2::text IS NULL OR starts_with(id::text, $2))
       AND ($3::text IS NULL OR key = $3) AND ($4::text IS NULL OR transaction_id = $4)
     ORDER BY created_at ${open ? '' : 'DESC'}, id LIMIT $1`,
    [limit, idPrefix ?? null, key ?? null, transactionId ?? null],
  );
  return rows.map(toView);
}

/** One operation; undefined if it does not exist. Ends its lease if that has expired. */
export async function viewOne(tx: Queryable, id: string): Promise<OperatorView | undefined> {
  await endLeases(tx, { where: 'id = $1', values: [id] });
  const sql = `SELECT ${VIEW} FROM money_operation WHERE id = $1`;
  const [row] = await tx.query<ViewRow>(sql, [id]);
  return row && toView(row);
}

function toView(row: ViewRow): OperatorView {
  const { waived, verified } = row;
  return { operation: toOperation(row), waived, verified };
}
