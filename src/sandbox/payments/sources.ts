import type { Queryable } from '../../database/database.ts';
import { type Fields, type Reader, text } from '../http/fields.ts';
import { type FieldError, invalidField } from '../http/http-error.ts';
import { type CardOnFile, cardOf } from './authorise.ts';
import { savedCardById } from './saved-card-row.ts';
import type { TransactionRow } from './transaction-row.ts';

const reference = text(1, 1000);

/** A reference to a source, where `false` and empty text count as absent. */
const source: Reader<string | undefined> = (value) =>
  value === undefined || value === null || value === false || value === ''
    ? undefined
    : reference(value);

/** The three ways to name what a new payment is made from; a saved card is the deprecated one. */
export const sourceShape = { transactionId: source, authorizationId: source, cardId: source };

type Sources = Fields<typeof sourceShape>;

/** A payment needs a source, and not two that differ. */
export function oneSource({
  transactionId,
  authorizationId,
  cardId,
}: Partial<Sources>): FieldError[] {
  const id = transactionId ?? authorizationId;
  if (id === undefined && cardId === undefined) {
    return [{ field: 'transactionId', message: 'Missing' }];
  }
  if ((id === undefined || cardId === undefined) && (authorizationId ?? id) === id) return [];
  return [{ field: transactionField({ transactionId }), message: 'Takes one source only' }];
}

/** Under which of its two names the caller gave the transaction. */
function transactionField({ transactionId }: Pick<Sources, 'transactionId'>) {
  return transactionId === undefined ? 'authorizationId' : 'transactionId';
}

/**
 * The card behind a new payment. One sentence covers a source that does not exist, is
 * another merchant's, or failed: nobody learns which.
 */
export async function findSource(
  database: Queryable,
  merchantId: string,
  sources: Sources,
): Promise<CardOnFile> {
  const id = sources.transactionId ?? sources.authorizationId;
  if (id !== undefined) {
    return cardOf(await goodSource(database, merchantId, transactionField(sources), id));
  }
  const card = await savedCardById(database, sources.cardId);
  if (card?.merchant_id !== merchantId) throw invalidField('cardId', 'Not a card of this merchant');
  return cardOf(card);
}

/** A successful transaction of the merchant, as the source of payments and saved cards. */
export async function goodSource(
  database: Queryable,
  merchantId: string,
  field: string,
  id: string,
): Promise<TransactionRow> {
  const row = await transactionById(database, id);
  if (row?.merchant_id !== merchantId || row.error_code !== null) {
    throw invalidField(field, 'Not a successful transaction of this merchant');
  }
  return row;
}

/** One transaction by id, whoever asks. */
export async function transactionById(
  database: Queryable,
  id = '',
): Promise<TransactionRow | undefined> {
  const [row] = await database.query<TransactionRow>('SELECT * FROM transaction WHERE id = $1', [
    id,
  ]);
  return row;
}
