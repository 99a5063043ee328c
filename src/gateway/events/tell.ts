import type { Queryable } from '../../database/database.ts';
import type { Fact } from './fact.ts';

/**
 * Of a merchant that is copied again, what happened since its last copy is told, and what happened
 * so shortly before is looked for among the events: the clocks of the service and of the database
 * differ by less.
 */
export const MARGIN = `interval '1 hour'`;

/**
 * Adds events to the feed of a merchant, in the transaction that stores the records which show
 * them. The caller has locked the merchant, so that numbers are given out in the order of commits.
 * What was told before is not told again.
 */
export async function tell(tx: Queryable, merchant: string, facts: readonly Fact[]): Promise<void> {
  if (facts.length === 0) return;
  const keyed = facts.map((fact) => [`${fact.kind} ${fact.subject}`, fact] as const);
  const first = [...new Map(keyed.toReversed()).values()];
  const sorted = first.sort((one, other) => timeOf(one) - timeOf(other));
  const given = sorted.map(({ item, entry, ...fact }, index) => ({
    ...fact,
    index,
    item_kind: item?.kind ?? null,
    item: item?.id ?? null,
    entry: entry && JSON.stringify(entry),
  }));
  await tx.query(
    `WITH fresh AS (
       SELECT given.*, feed.seq + row_number() OVER (ORDER BY index) AS next
       FROM replica_feed AS feed, jsonb_to_recordset($2::jsonb) AS given (index integer, kind text, subject text,
         happened timestamptz, transaction text, item_kind text, item text, entry text)
       WHERE feed.merchant = $1 AND NOT EXISTS (SELECT FROM replica_event AS told WHERE told.merchant = $1
           AND told.kind = given.kind AND told.subject = given.subject)
     ), counted AS (
       UPDATE replica_feed SET seq = (SELECT max(next) FROM fresh)
       WHERE merchant = $1 AND EXISTS (SELECT FROM fresh)
     )
     INSERT INTO replica_event (merchant, seq, kind, subject, happened, transaction, item_kind, item,
       entry)
     SELECT $1, next, kind, subject, happened, transaction, item_kind, item, entry FROM fresh`,
    [merchant, JSON.stringify(given)],
  );
}

const timeOf = ({ happened }: Fact) => happened?.getTime() ?? 0;
