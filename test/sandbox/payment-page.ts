import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type AnyRecord, openShop, type Shop } from './shop.ts';

/** A response of the payment page. */
export interface PageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The attributes of the `main` element. */
  readonly data: Readonly<Record<string, string>>;
}

/** The payment page of a shop, as a browser without scripts uses it. */
export interface PaymentPage {
  readonly shop: Shop;
  /** The shop's public key. */
  readonly key: string;
  /** Opens a payment link. The default parameters are `key` and `test`; `null` omits one. */
  open(link?: Link): Promise<PageResponse>;
  /** Sends the form of a link. Fields that are not given are valid; `null` omits a field. */
  pay(link?: Link, sent?: Sent): Promise<PageResponse>;
  /** Reads the transaction that a response names, successful or failed. */
  transactionOf(page: PageResponse): Promise<AnyRecord>;
}

/** The parameters of a payment link. */
export type Link = Readonly<Record<string, string | null>>;
type Sent = Partial<Record<'number' | 'expiry' | 'code' | 'amount', string | null>>;

/** Returns the payment page of the demo shop in EUR. */
export async function openPaymentPage(sandbox: Sandbox): Promise<PaymentPage> {
  const shop = await openShop(sandbox);
  const key = (await shop.payments.get(`/merchants/${shop.id}`)).body.merchant.key as string;

  async function send(link: Link, init: RequestInit): Promise<PageResponse> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ key, test: '1', ...link })) {
      if (value !== null) query.append(name, value);
    }
    const url = `${sandbox.posUrl}/?${query}`;
    const response = await fetch(url, { redirect: 'manual', ...init });
    const html = await response.text();
    const [, attributes = ''] = /<main([^>]*)>/.exec(html) ?? [];
    const data = Object.fromEntries(
      [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    return { status: response.status, headers: response.headers, html, data };
  }
  return {
    shop,
    key,
    open: (link = {}) => send(link, {}),
    pay: (link = {}, sent = {}) => {
      const valid = { number: '4100000000000000', expiry: '08/66', code: '123', amount: null };
      const form = new URLSearchParams();
      for (const [name, value] of Object.entries({ ...valid, ...sent })) {
        if (value !== null) form.append(name === 'amount' ? name : `card[${name}]`, value);
      }
      return send(link, { method: 'POST', body: form });
    },
    transactionOf: async ({ data, headers }) => {
      const location = headers.get('location');
      const id =
        location === null
          ? (data['data-transaction-id'] ?? data['data-failed-transaction-id'])
          : new URL(location).searchParams.get('transactionId');
      return (await shop.payments.get(`/transactions/${id}`)).body.transaction;
    },
  };
}

/** The input elements of a page, by name. */
export function inputs(html: string): Record<string, string> {
  const tags = html.match(/<input[^>]*>/g) ?? [];
  return Object.fromEntries(tags.map((tag) => [/ name="([^"]*)"/.exec(tag)?.[1], tag]));
}
