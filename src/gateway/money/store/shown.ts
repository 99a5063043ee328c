import type { Queryable } from '../../../database/database.ts';
import type { EntryIdentity } from '../engine/operation.ts';

/** An operation that succeeded, and whose effect the replica does not show yet. */
export interface UnshownOperation {
  readonly id: string;
  readonly transactionId: string;
  /** Its transaction shows one of these; empty if it is not known what it shows. */
  readonly entries: readonly EntryIdentity[];
}

/** An operation whose outcome was unknown for a while. */
export interface LateOutcome {
  readonly id: string;
  readonly merchantId: string;
  readonly transactionId: string | null;
  readonly resolved: Date;
}

/** Which operations the replica does not show yet, and which its events do not tell. */
export interface ShownOperations {
  /** Whether one of the merchants has such an operation. */
  has(merchantIds: readonly string[]): Promise<boolean>;
  merchants(): Promise<readonly string[]>;
  list(merchantId: string): Promise<readonly UnshownOperation[]>;
  mark(ids: readonly string[]): Promise<void>;
  /**
   * Marks the operations of merchants that are not copied, or whose copy begins only now, except for
   * the latest: a service can read from a copy of its own that lags.
   */
  markAll(merchantIds: readonly string[]): Promise<void>;
  /** The operations of a merchant whose outcome became known late, and after a time. */
  listLate(merchantId: string, since: Date): Promise<readonly LateOutcome[]>;
}

/** How many operations of a merchant are listed at a time. */
const AT_A_TIME = 200;
/** The same condition as that of the index. */
const NOT_SHOWN = `state = 'SUCCEEDED' AND NOT shown AND transaction_id IS NOT NULL`;

interface Row extends EntryIdentity {
  readonly id: string;
  readonly transactionId: string;
  readonly seen: readonly EntryIdentity[] | null;
}

/** Finds the operations that the replica does not show, among those of all gateways. */
export function createShownOperations(
  database: Queryable & { readonly prepared: Queryable['query'] },
): ShownOperations {
  return {
    has: async (merchantIds) => {
      const found = await database.prepared(
        `SELECT FROM money_operation WHERE merchant_id = ANY($1) AND ${NOT_SHOWN} LIMIT 1`,
        [merchantIds],
      );
      return found.length > 0;
    },
    merchants: async () => {
      const rows = await database.query<{ merchant: string }>(
        `SELECT DISTINCT merchant_id AS merchant FROM money_operation WHERE ${NOT_SHOWN}`,
      );
      return rows.map(({ merchant }) => merchant);
    },
    list: async (merchantId) => {
      const rows = await database.query<Row>(
        `SELECT id, transaction_id AS "transactionId", entry_line AS line,
           entry_properties AS properties, CASE WHEN waived THEN NULL ELSE seen END AS seen
         FROM money_operation WHERE merchant_id = $1 AND ${NOT_SHOWN} LIMIT ${AT_A_TIME}`,
        [merchantId],
      );
      return rows.map(({ id, transactionId, line, properties, seen }) => {
        const isClaimed = line !== null || properties !== null;
        return { id, transactionId, entries: isClaimed ? [{ line, properties }] : (seen ?? []) };
      });
    },
    mark: async (ids) => {
      if (ids.length === 0) return;
      await database.query('UPDATE money_operation SET shown = true WHERE id = ANY($1::uuid[])', [
        ids,
      ]);
    },
    markAll: async (merchantIds) => {
      if (merchantIds.length === 0) return;
      await database.query(
        `UPDATE money_operation SET shown = true WHERE merchant_id = ANY($1) AND ${NOT_SHOWN}
           AND resolved_at < now() - interval '10 minutes'`,
        [merchantIds],
      );
    },
    listLate: (merchantId, since) =>
      database.query<LateOutcome>(
        `SELECT id, merchant_id AS "merchantId", transaction_id AS "transactionId",
           resolved_at AS resolved
         FROM money_operation WHERE merchant_id = $1 AND resolved_at > $2 AND (evidence <> 'ANSWERED' OR posts > 1)`,
        [merchantId, since],
      ),
  };
}
