import { type Environment, graphql } from 'relay-runtime';
import { waitForFragmentData } from 'relay-runtime/experimental';
import type { transactionList_merchant$key } from './__generated__/transactionList_merchant.graphql.ts';
import type {
  CreateTransactionInput,
  transactionListChargeMutation,
} from './__generated__/transactionListChargeMutation.graphql.ts';
import pageQuery, {
  type transactionListPageQuery,
} from './__generated__/transactionListPageQuery.graphql.ts';
import type { transactionListQuery } from './__generated__/transactionListQuery.graphql.ts';
import { commit, load, open, outcome } from './operation.ts';
import { transactionRow } from './transaction-row.ts';

const query = graphql`
  query transactionListQuery($merchantId: ID!, $count: Int!) {
    merchant(id: $merchantId) {
      ...transactionList_merchant @arguments(count: $count)
    }
  }
`;

const fragment = graphql`
  fragment transactionList_merchant on Merchant
  @refetchable(queryName: "transactionListPageQuery")
  @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
  @throwOnFieldError {
    id
    transactions(first: $count, after: $cursor) @connection(key: "transactionList_transactions") {
      __id
      edges {
        node {
          id
          ...transactionRow_transaction
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const charge = graphql`
  mutation transactionListChargeMutation($input: CreateTransactionInput!, $connections: [ID!]!) {
    createTransaction(input: $input) {
      ... on CreateTransactionSuccess {
        transaction @prependNode(connections: $connections, edgeTypeName: "TransactionEdge") {
          id
          ...transactionRow_transaction
        }
      }
      ... on MutationError @alias(as: "error") {
        message
      }
    }
  }
`;

/** The payments of a merchant, newest first. The store holds the pages loaded so far. */
export async function openTransactionList(
  environment: Environment,
  merchantId: string,
  count: number,
) {
  const { merchant } = await open<transactionListQuery>(environment, query, { merchantId, count });
  if (!merchant) throw new Error(`There is no merchant ${merchantId}.`);
  const read = () =>
    waitForFragmentData<transactionList_merchant$key>(environment, fragment, merchant);

  /** The loaded rows, from the store. Nothing is sent. */
  async function rows() {
    const { transactions } = await read();
    return transactions.edges.map(({ node }) => ({ id: node.id, text: transactionRow(node) }));
  }

  /** Loads the next page into the store. Returns false if there is none. */
  async function loadNext(): Promise<boolean> {
    const { id, transactions } = await read();
    const { hasNextPage, endCursor: cursor } = transactions.pageInfo;
    if (hasNextPage) {
      await load<transactionListPageQuery>(environment, pageQuery, { id, count, cursor });
    }
    return hasNextPage;
  }

  /** Charges again from an earlier payment. The new payment is the first of the list at once. */
  async function chargeAgain(input: CreateTransactionInput): Promise<string> {
    const { transactions } = await read();
    const variables = { input, connections: [transactions.__id] };
    const { createTransaction } = await commit<transactionListChargeMutation>(
      environment,
      charge,
      variables,
    );
    return outcome(createTransaction, 'Charged.');
  }

  return { rows, loadNext, chargeAgain };
}
