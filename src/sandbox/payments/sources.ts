import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { Fields } from '../http/fields.ts';
import { type FieldError, invalidField } from '../http/http-error.ts';
import { type CardOnFile, cardOf } from './authorise.ts';
import { reference } from './fields.ts';
import { type TransactionRow, transactionById } from './transaction-row.ts';

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

/** The id of a source. `false` also counts as missing. */
const source = z
  .preprocess((value) => (value === false ? undefined : value), reference.optional())
  .meta({ type: ['string', 'boolean'], not: { const: true } });

/** The three fields that can name the source of a payment. `cardId` is deprecated. */
export const sourceFields = { transactionId: source, authorizationId: source, cardId: source };

type Sources = Fields<typeof sourceFields>;

/** Checks that a payment has exactly one source. The same id under two names is one source. */
export function requireOneSource({
  transactionId,
  authorizationId,
  cardId,
}: Partial<Sources>): FieldError[] {
  const id = transactionId ?? authorizationId;
  if (id === undefined && cardId === undefined) {
    return [{ field: 'transactionId', message: 'Missing' }];
  }
  if ((id === undefined || cardId === undefined) && (authorizationId ?? id) === id) return [];
  return [{ field: transactionField({ transactionId }), message: 'Only one source is allowed' }];
}

/** Returns the field in which the caller sent the transaction: it has two names. */
function transactionField({ transactionId }: Pick<Sources, 'transactionId'>) {
  return transactionId === undefined ? 'authorizationId' : 'transactionId';
}

/**
 * Returns the card of a payment's source. Throws 400 if the source does not exist, belongs to
 * another merchant or failed. The message is the same, so that it does not reveal which.
 */
export async function findSourceCard(
  database: Queryable,
  merchantId: string,
  sources: Sources,
): Promise<CardOnFile> {
  const id = sources.transactionId ?? sources.authorizationId;
  if (id !== undefined) {
    return cardOf(
      await requireSuccessfulTransaction(database, merchantId, transactionField(sources), id),
    );
  }
  const card = await savedCardById(database, sources.cardId ?? '');
  if (card?.merchant_id !== merchantId)
    throw invalidField('cardId', 'Must be a saved card of this merchant');
  return cardOf(card);
}

/**
 * Returns the transaction from which a payment or a saved card is made. Throws 400 unless it is
 * a successful transaction of the merchant.
 *
 * @param field the field in which the caller sent `id`
 */
export async function requireSuccessfulTransaction(
  database: Queryable,
  merchantId: string,
  field: string,
  id: string,
): Promise<TransactionRow> {
  const row = await transactionById(database, id);
  if (row?.merchant_id !== merchantId || row.error_code !== null) {
    throw invalidField(field, 'Must be a successful transaction of this merchant');
  }
  return row;
}
