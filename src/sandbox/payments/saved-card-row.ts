import type { Queryable } from '../../database/database.ts';

/** A stored card. The number is never stored. */
export interface SavedCardRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly created: Date;
  readonly card_bin: string;
  readonly card_last4: string;
  readonly card_expiry: Date;
  readonly card_scheme: string;
  readonly card_behaviour: string;
  readonly notes: string | null;
}

/** Returns a saved card by id, without checking access. */
export async function savedCardById(
  database: Queryable,
  id: string,
): Promise<SavedCardRow | undefined> {
  const [row] = await database.query<SavedCardRow>('SELECT * FROM saved_card WHERE id = $1', [id]);
  return row;
}
