import type { Queryable } from '../../../database/database.ts';

/** How many operations that are not final have a state and an age. */
export interface OpenCount {
  /** `NEEDS_OPERATOR` for the UNKNOWN ones that only the operator can settle. */
  readonly state: 'PREPARED' | 'SENDING' | 'UNKNOWN' | 'NEEDS_OPERATOR';
  readonly age:
    | 'under 1 minute'
    | 'under 15 minutes'
    | 'under 1 hour'
    | 'under 1 day'
    | '1 day and more';
  readonly count: number;
}

/** Counts the operations that are not final. The index of lock keys finds most of them. */
export function countOpen(database: Queryable): Promise<OpenCount[]> {
  return database.query<OpenCount>(
    `SELECT CASE WHEN needs_operator THEN 'NEEDS_OPERATOR' ELSE state END AS state,
       CASE WHEN created_at > now() - interval '1 minute' THEN 'under 1 minute'
         WHEN created_at > now() - interval '15 minutes' THEN 'under 15 minutes'
         WHEN created_at > now() - interval '1 hour' THEN 'under 1 hour'
         WHEN created_at > now() - interval '1 day' THEN 'under 1 day'
         ELSE '1 day and more' END AS age,
       count(*)::integer AS count
     FROM money_operation WHERE state IN ('PREPARED', 'SENDING', 'UNKNOWN') GROUP BY 1, 2`,
  );
}
