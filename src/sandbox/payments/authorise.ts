import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId, singleRow } from '../environment.ts';
import type { MerchantRow } from './merchant-row.ts';
import { lockMerchant } from './rows.ts';
import { declineCode } from './test-cards.ts';
import type { TransactionRow } from './transaction-row.ts';

/** What the sandbox stores of a card. It never stores the number or the security code. */
export interface CardOnFile {
  readonly bin: string;
  readonly last4: string;
  readonly expiry: Date;
  readonly scheme: string;
  readonly behaviour: string;
}

/** A payment to authorise. */
export interface Authorisation {
  readonly card: CardOnFile;
  /** True if the merchant's server makes it from an earlier payment, without the cardholder. */
  readonly merchantInitiated: boolean;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** If empty or omitted, the descriptor of the merchant applies. */
  readonly descriptor?: string | undefined;
  readonly custom?: object | undefined;
  readonly tds: string;
}

/** Returns the card of a stored record: of a transaction, or a saved card. */
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
 * Reserves an amount on a card and inserts the transaction. A declined payment is inserted too,
 * with its error code and with nothing reserved.
 */
export async function authorise(
  environment: Environment,
  tx: Queryable,
  merchant: MerchantRow,
  input: Authorisation,
): Promise<TransactionRow> {
  const { card, merchantInitiated } = input;
  await lockMerchant(tx, merchant.id);
  const created = environment.clock();
  const rows = await tx.query<TransactionRow>(
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
      !merchantInitiated,
      input.tds,
      input.custom === undefined ? null : JSON.stringify(input.custom),
      merchantInitiated,
      declineCode(card.behaviour, card.expiry, created, merchantInitiated) ?? null,
    ],
  );
  return singleRow(rows);
}
