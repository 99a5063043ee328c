import { Client, cacheExchange, fetchExchange } from '@urql/core';
import type { CaptureTransactionInput } from './gql/graphql';
import { Capture, Payments } from './operations';

export function createClient(url: string, appKey: string) {
  return new Client({
    url,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${appKey}` } },
  });
}

/** One page of the payments of a merchant, newest first. Start without `after`. */
export async function loadPayments(client: Client, merchantId: string, after?: string | null) {
  const { data, error } = await client.query(Payments, { merchantId, after });
  if (error) throw error;
  return data?.merchant?.transactions;
}

export async function capture(client: Client, input: CaptureTransactionInput) {
  const { data, error } = await client.mutation(Capture, { input });
  // A response can contain both a success and errors.
  if (!data?.captureTransaction) throw error;
  return data.captureTransaction;
}
