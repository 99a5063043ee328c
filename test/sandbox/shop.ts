import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { HttpRequest } from '../support/http-client.ts';
import { type RestCaller, rest } from '../support/rest.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read records of any shape
export type AnyRecord = any;

/** A demo merchant, with the operations that tests need. */
export interface Shop {
  /** The payments service with the demo app's key. */
  readonly payments: RestCaller;
  readonly id: string;
  /** The id of a successful payment of the demo data, from which tests make other payments. */
  readonly source: string;
  /** Creates a successful transaction, with the complete amount pending, and returns it. */
  charge(amount: number, input?: object): Promise<AnyRecord>;
  /** Captures, refunds or voids, and returns the changed transaction. */
  move(
    movement: 'captures' | 'refunds' | 'voids',
    transactionId: string,
    input: object,
  ): Promise<AnyRecord>;
}

/** The fields in the errors of a response. */
export function fieldsOf(errors: readonly AnyRecord[]): string[] {
  return errors.map(({ field }) => field);
}

/** A request with a form, as a browser or curl sends it. */
export const form = (body: string, method = 'POST'): HttpRequest => ({
  method,
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

/** A POST request with JSON, or with any body and content type. */
export const json = (body: string | Uint8Array, type = 'application/json'): HttpRequest => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});

/** The payments service with the key of the demo app. */
export function demoApp({ paymentsUrl, demoApp: { key } }: Sandbox): RestCaller {
  return rest(paymentsUrl, key);
}

/** The payments service with the key of a new app, which has access to no merchant. */
export async function newApp({ paymentsUrl }: Sandbox) {
  const { app } = (await rest(paymentsUrl).post('/apps')).body;
  return { ...rest(paymentsUrl, app.key), id: app.id as string };
}

/** The required fields of a merchant. */
export const smallestMerchant = {
  currency: 'EUR',
  email: 'shop@example.com',
  website: 'https://shop.example.com',
  descriptor: 'SMALL SHOP',
  company: { country: 'DE' },
};

/**
 * Returns the demo merchant with a funding currency.
 *
 * @param last4 the test card of its new transactions
 */
export async function openShop(
  sandbox: Sandbox,
  currency: 'EUR' | 'DKK' | 'USD' = 'EUR',
  last4 = '0000',
): Promise<Shop> {
  const payments = demoApp(sandbox);
  const merchants = await payments.get(`/identities/${sandbox.demoApp.id}/merchants?limit=1000`);
  const merchant = merchants.body.find((each: AnyRecord) => each.currency === currency);
  const id = merchant.id;
  const successful = await payments.get(
    `/merchants/${id}/transactions?limit=1000&filter[successful]=yes`,
  );
  const source = successful.body.findLast((each: AnyRecord) => each.card.last4 === last4).id;

  return {
    payments,
    id,
    source,
    charge: async (amount, input = {}) => {
      const body = { transactionId: source, currency, amount, ...input };
      const created = await payments.post(`/merchants/${id}/transactions`, body);
      if (created.status !== 201) throw new Error(`Creating a transaction failed: ${created.text}`);
      return (await payments.get(`/transactions/${created.body.transaction.id}`)).body.transaction;
    },
    move: async (movement, transactionId, input) => {
      const moved = await payments.post(`/transactions/${transactionId}/${movement}`, input);
      if (moved.status !== 201) throw new Error(`POST ${movement} failed: ${moved.text}`);
      return moved.body.transaction;
    },
  };
}
