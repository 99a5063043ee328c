import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { lockMerchant } from './locks.ts';
import type { MerchantRow } from './merchants.ts';
import { declineCode } from './test-cards.ts';
import type { TransactionRow } from './transaction-row.ts';

/** What is kept of a card: never its number or code. */
export interface CardOnFile {
  readonly bin: string;
  readonly last4: string;
  readonly expiry: Date;
  readonly scheme: string;
  readonly behaviour: string;
}

/** A payment to be authorised. */
export interface Authorisation {
  readonly card: CardOnFile;
  /** Made by the server from an earlier payment, not by the cardholder on the page. */
  readonly later: boolean;
  readonly amount: number;
  readonly currency: string;
  /** Empty or left out: the merchant's. */
  readonly descriptor?: string | undefined;
  readonly custom?: object | undefined;
  readonly tds: string;
}

/** The card of a stored record: the one a transaction was paid with, or a saved one. */
export function cardOf(
  row: Pick<
    TransactionRow,
    'card_bin' | 'card_last4' | 'card_expiry' | 'card_scheme' | 'card_behaviour'
  >,
): CardOnFile {
  return {
    bin: row.card_bin,
    last4: row.card_last4,
    expiry: row.card_expiry,
    scheme: row.card_scheme,
    behaviour: row.card_behaviour,
  };
}

/**
 * Reserves an amount on a card. A declined payment is kept too, with its error and
 * with nothing reserved.
 */
export async function authorise(
  environment: Environment,
  tx: Queryable,
  merchant: MerchantRow,
  input: Authorisation,
): Promise<TransactionRow> {
  const { card, later } = input;
  await lockMerchant(tx, merchant.id);
  const created = environment.clock();
  const [row] = await tx.query<TransactionRow>(
    `INSERT INTO transaction (id, merchant_id, test, created, currency, amount, descriptor, card_bin,
      card_last4, card_expiry, card_scheme, card_behaviour, code_present, tds, custom, recurring, error_code)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      RETURNING *`,
    [
      await nextId(environment, tx),
      merchant.id,
      merchant.test,
      created,
      input.currency,
      input.amount,
      input.descriptor || merchant.descriptor,
      card.bin,
      card.last4,
      card.expiry,
      card.scheme,
      card.behaviour,
      !later,
      input.tds,
      input.custom === undefined ? null : JSON.stringify(input.custom),
      later,
      declineCode(card.behaviour, card.expiry, created, later) ?? null,
    ],
  );
  return row as TransactionRow;
}
