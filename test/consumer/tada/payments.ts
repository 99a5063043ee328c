import type { ResultOf, VariablesOf } from 'gql.tada';
import { print } from 'graphql';
import { graphql } from './graphql';

export const Payments = graphql(`
  query Payments($merchantId: ID!) {
    merchant(id: $merchantId) {
      transactions(first: 10) { edges { node { id pendingAmount { minorUnits currency } } } }
    }
  }
`);

export async function loadPayments(
  url: string,
  appKey: string,
  variables: VariablesOf<typeof Payments>,
): Promise<ResultOf<typeof Payments>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${appKey}` },
    body: JSON.stringify({ query: print(Payments), variables }),
  });
  const { data, errors } = await response.json();
  if (errors !== undefined) throw new Error(errors[0].message);
  return data;
}
