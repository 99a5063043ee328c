import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestCaller, rest } from '../support/rest.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of any shape
export type AnyRecord = any;

/** A demo merchant, with the ways in which tests use it. */
export interface Shop {
  /** The payments service with the demo app's key. */
  readonly payments: RestCaller;
  readonly id: string;
  /** A successful payment of the demo, to make others from. */
  readonly source: string;
  /** A fresh successful transaction, whole, with everything still pending. */
  charge(amount: number, input?: object): Promise<AnyRecord>;
  /** Captures, refunds or voids; answers the transaction afterwards. */
  move(
    movement: 'captures' | 'refunds' | 'voids',
    transactionId: string,
    input: object,
  ): Promise<AnyRecord>;
}

/** The fields that an answer complains about, in its order. */
export function fieldsOf(faults: readonly AnyRecord[]): string[] {
  return faults.map(({ field }) => field);
}

/** Form encoding, as a browser or curl sends it. */
export const form = (body: string, method = 'POST'): RequestInit => ({
  method,
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

/** The payments service as the demo app sees it. */
export function demoApp({ paymentsUrl, demoApp: { key } }: Sandbox): RestCaller {
  return rest(paymentsUrl, key);
}

/** The payments service as seen by a fresh app, which is associated with nothing. */
export async function newApp({ paymentsUrl }: Sandbox) {
  const { app } = (await rest(paymentsUrl).post('/apps')).body;
  return { ...rest(paymentsUrl, app.key), id: app.id as string };
}

/** Everything that a merchant can be created with and nothing optional. */
export const smallestMerchant = {
  currency: 'EUR',
  email: 'shop@example.com',
  website: 'https://shop.example.com',
  descriptor: 'SMALL SHOP',
  company: { country: 'DE' },
};

/**
 * The demo merchant of a funding currency; its fresh transactions are made from a
 * payment with the test card that ends as given, and behave as that card does.
 */
export async function openShop(
  sandbox: Sandbox,
  currency: 'EUR' | 'DKK' | 'USD' = 'EUR',
  last4 = '0000',
): Promise<Shop> {
  const payments = demoApp(sandbox);
  const merchants = await payments.get(`/identities/${sandbox.demoApp.id}/merchants?limit=1000`);
  const merchant = merchants.body.find((each: AnyRecord) => each.currency === currency);
  const id = merchant.id as string;
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
      if (created.status !== 201) throw new Error(`No transaction: ${created.text}`);
      return (await payments.get(`/transactions/${created.body.transaction.id}`)).body.transaction;
    },
    move: async (movement, transactionId, input) => {
      const moved = await payments.post(`/transactions/${transactionId}/${movement}`, input);
      if (moved.status !== 201) throw new Error(`No ${movement}: ${moved.text}`);
      return moved.body.transaction;
    },
  };
}
