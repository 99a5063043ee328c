import { type Execute, requireData } from './execute.ts';
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

/** The newest merchants, each with its newest payments. */
export async function merchantsOverview(execute: Execute, latest = 3) {
  const { merchants } = requireData(await execute(MerchantsOverview, { latest }));
  return (merchants?.edges ?? []).map(({ node: { id, name, fundingCurrency, transactions } }) => ({
    id,
    title: `${name ?? 'Unnamed'}, ${fundingCurrency}`,
    rows: (transactions?.edges ?? []).map(({ node }) => transactionRow(node)),
  }));
}
