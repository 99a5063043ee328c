import { createRecord, fetchRecord } from '../../upstream/fetch-record.ts';
import { loadOneByOne } from '../../upstream/load-by-id.ts';
import { path } from '../../upstream/path.ts';
import type { RestRecord } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly cards: CardSource;
  }
}

/** A saved card as the service sends it. Specification: payments, "Card". */
export type Card = RestRecord<'merchantId' | 'created' | 'bin' | 'last4' | 'expiry' | 'scheme'>;

/** The saved cards of one request. */
export function createCardSource(payments: RestClient) {
  const byId = loadOneByOne<Card>('payments', (id) =>
    fetchRecord<Card>(payments, path`/cards/${id}`, 'card'),
  );

  return {
    load: byId.load,
    /** Returns the new id. */
    save: async (
      merchantId: string,
      card: { readonly transactionId: string; readonly notes?: string },
    ): Promise<string> => {
      const saved = await createRecord(payments, path`/merchants/${merchantId}/cards`, {
        name: 'card',
        body: card,
      });
      return saved.id;
    },
  };
}

/** The saved cards of one request. */
export type CardSource = ReturnType<typeof createCardSource>;
