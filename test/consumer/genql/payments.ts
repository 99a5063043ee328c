import { createClient } from './generated/index.ts';

/** Loads the newest payments of a merchant. */
export function loadPayments(url: string, appKey: string, merchantId: string) {
  const client = createClient({ url, headers: { authorization: `Bearer ${appKey}` } });
  return client.query({
    merchant: {
      __args: { id: merchantId },
      transactions: {
        __args: { first: 10 },
        edges: { node: { id: true, pendingAmount: { minorUnits: true, currency: true } } },
      },
    },
  });
}
