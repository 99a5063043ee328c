import { fetchRecord, loadById, oneByOne } from '../rest/load-by-id.ts';
import { path } from '../rest/path.ts';
import { openRecord, type RestRecord } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

/** A saved card as the service sends it. Specification: payments, "Card". */
export type Card = RestRecord<'merchantId' | 'created' | 'bin' | 'last4' | 'expiry' | 'scheme'>;

/** The saved cards of one request. */
export function createCardSource(payments: RestClient) {
  const byId = loadById<Card>(
    'payments',
    oneByOne((id) => fetchRecord<Card>(payments, path`/cards/${id}`, 'card')),
  );

  return {
    load: byId.load,
    /** Answers the new id. */
    save: async (
      merchantId: string,
      card: { readonly transactionId: string; readonly notes?: string },
    ): Promise<string> => {
      const { body } = await payments.send('POST', path`/merchants/${merchantId}/cards`, card);
      const id = openRecord(body, 'card')?.id;
      if (id === undefined) throw new RestError('payments', 'POST', 'bad-response');
      return id;
    },
  };
}

/** The saved cards of one request. */
export type CardSource = ReturnType<typeof createCardSource>;
