import { type Execute, whole } from './execute.ts';
import { graphql } from './gql/index.ts';
import { transactionRow } from './transaction-row.ts';

const MerchantsOverview = graphql(`
  query MerchantsOverview($latest: Int!) {
    merchants {
      edges {
        node {
          id
          name
          fundingCurrency
          transactions(first: $latest) {
            edges {
              node {
                ...TransactionRow
              }
            }
          }
        }
      }
    }
  }
`);

/** The latest merchants, each with its latest payments. */
export async function merchantsOverview(execute: Execute, latest = 3) {
  const { merchants } = whole(await execute(MerchantsOverview, { latest }));
  return (merchants?.edges ?? []).map(({ node: { id, name, fundingCurrency, transactions } }) => ({
    id,
    title: `${name ?? 'Unnamed'}, ${fundingCurrency}`,
    rows: (transactions?.edges ?? []).map(({ node }) => transactionRow(node)),
  }));
}
