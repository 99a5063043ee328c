import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { text } from '../http/fields.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { recordInPath } from './access.ts';
import { cardDigits, date, id, reference } from './fields.ts';
import { merchantInPath } from './merchant-row.ts';
import { requireSuccessfulTransaction, type SavedCardRow, savedCardById } from './sources.ts';
import type { TransactionRow } from './transaction-row.ts';

const notes = text(1, 1000);

const Card = z
  .object({
    ...{ id, merchantId: id, created: date, ...cardDigits, expiry: date },
    ...{ notes: notes.nullable(), deleted: z.null() },
  })
  .meta({ id: 'Card' });

/** Saves and returns a card; both are deprecated. Specification: payments, "Card". */
export function cardRoutes(environment: Environment): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/merchants/:id/cards',
      summary: 'Save the card of a transaction.',
      deprecated: true,
      subject: merchantInPath(database),
      body: { transactionId: reference, notes: notes.optional() },
      responses: {
        201: json('The id of the saved card.', z.object({ card: z.object({ id }) })),
      },
      handle: async ({ subject: merchant, body: { transactionId, notes = null } }) => {
        const source = await requireSuccessfulTransaction(
          database,
          merchant.id,
          'transactionId',
          transactionId,
        );
        const id = await database.transaction((tx) => saveCard(environment, tx, source, notes));
        return { card: { id } };
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/cards/:id',
      summary: 'Get a saved card.',
      deprecated: true,
      subject: recordInPath(database, savedCardById, 'card'),
      responses: { 200: json('The saved card.', z.object({ card: Card })) },
      handle: async ({ subject }) => ({ card: showCard(subject) }),
    }),
  ];
}

/** Inserts the card of a transaction as a saved card. Returns the id of the saved card. */
async function saveCard(
  environment: Environment,
  tx: Queryable,
  source: TransactionRow,
  notes: string | null,
): Promise<string> {
  const id = await nextId(environment, tx);
  await tx.query(
    `INSERT INTO saved_card (id, merchant_id, created, card_bin, card_last4, card_expiry,
      card_scheme, card_behaviour, notes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      source.merchant_id,
      environment.clock(),
      source.card_bin,
      source.card_last4,
      source.card_expiry,
      source.card_scheme,
      source.card_behaviour,
      notes,
    ],
  );
  return id;
}

function showCard(row: SavedCardRow) {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    created: row.created,
    bin: row.card_bin,
    last4: row.card_last4,
    scheme: row.card_scheme,
    expiry: row.card_expiry,
    notes: row.notes,
    deleted: null,
  };
}
