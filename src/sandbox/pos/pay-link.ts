import type { Environment } from '../environment.ts';
import { authorise } from '../payments/authorise.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import type { TransactionRow } from '../payments/transaction-row.ts';
import type { ValidForm } from './card-form.ts';
import { type PaymentLink, readLink } from './payment-link.ts';

/** Reads the parameters of a link to a merchant of the database. Throws `InvalidLink`. */
export function findLink(
  { database, clock }: Environment,
  query: URLSearchParams,
): Promise<PaymentLink> {
  const findMerchant = async (key: string) => {
    const [merchant] = await database.query<MerchantRow>('SELECT * FROM merchant WHERE key = $1', [
      key.replaceAll('\0', ''),
    ]);
    return merchant;
  };
  return readLink(query, findMerchant, clock());
}

/** Pays a link with a card. The transaction of a declined payment has an error code. */
export function payLink(
  environment: Environment,
  link: PaymentLink,
  { card, expiry, amount }: ValidForm,
): Promise<TransactionRow> {
  return environment.database.transaction((tx) =>
    authorise(environment, tx, link.merchant, {
      card: { ...card, expiry },
      merchantInitiated: false,
      amount,
      currency: link.currency,
      custom: link.reference === undefined ? undefined : { reference: link.reference },
      tds: card.behaviour.startsWith('tds:') ? card.behaviour.slice(4) : 'none',
    }),
  );
}
