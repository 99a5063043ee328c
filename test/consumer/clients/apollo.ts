import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import possibleTypes from 'tillgraph-schema/possible-types.json';
import type { CaptureTransactionInput } from './gql/graphql';
import { Capture, Payments } from './operations';

export function createClient(uri: string, appKey: string) {
  return new ApolloClient({
    link: new HttpLink({ uri, headers: { authorization: `Bearer ${appKey}` } }),
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: {
        Currency: { keyFields: ['code'] },
        Merchant: { fields: { transactions: relayStylePagination(['successful', 'filter']) } },
      },
    }),
  });
}

export function watchPayments(client: ApolloClient, merchantId: string) {
  return client.watchQuery({ query: Payments, variables: { merchantId } });
}

/** Loads the next page; the cache appends it to the list. */
export async function loadOlder(payments: ReturnType<typeof watchPayments>) {
  const pageInfo = payments.getCurrentResult().data?.merchant?.transactions?.pageInfo;
  if (pageInfo?.hasNextPage) {
    await payments.fetchMore({ variables: { after: pageInfo.endCursor } });
  }
}

export async function capture(client: ApolloClient, input: CaptureTransactionInput) {
  const { data, error } = await client.mutate({
    mutation: Capture,
    variables: { input },
    // By default, a response with errors loses its data, even if the mutation succeeded.
    errorPolicy: 'all',
  });
  if (!data?.captureTransaction) throw error;
  return data.captureTransaction;
}
