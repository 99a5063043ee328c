import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { optional, required, text } from '../http/fields.ts';
import { jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { authenticate, requireAccess } from './access.ts';
import { requireMerchant } from './merchant-row.ts';
import { type SavedCardRow, savedCardById } from './saved-card-row.ts';
import { requireSuccessfulTransaction } from './sources.ts';
import type { TransactionRow } from './transaction-row.ts';

const shape = { transactionId: required(text(1, 1000)), notes: optional(text(1, 1000)) };

/** Saves and returns a card; both are deprecated. Specification: payments, "Card". */
export function cardRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'POST',
      path: '/merchants/:id/cards',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const { transactionId, notes = null } = await request.fields(shape);
        const source = await requireSuccessfulTransaction(
          database,
          merchant.id,
          'transactionId',
          transactionId,
        );
        const id = await database.transaction((tx) => saveCard(environment, tx, source, notes));
        return jsonResponse(201, { card: { id } });
      },
    },
    {
      method: 'GET',
      path: '/cards/:id',
      handle: async (request) => {
        const app = await authenticate(database, request);
        const found = await savedCardById(database, request.params.id);
        const row = await requireAccess(database, app, found, 'card');
        return jsonResponse(200, { card: showCard(row) });
      },
    },
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
