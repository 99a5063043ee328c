import { graphql, readInlineData } from 'relay-runtime';
import type { transactionRow_transaction$key } from './__generated__/transactionRow_transaction.graphql.ts';

const fragment = graphql`
  fragment transactionRow_transaction on Transaction @inline @throwOnFieldError {
    createdAt
    amount {
      decimal
      currency
    }
    merchant {
      name
    }
  }
`;

/** One line of a list of payments. */
export function transactionRow(transaction: transactionRow_transaction$key): string {
  const { createdAt, amount, merchant } = readInlineData(fragment, transaction);
  return `${createdAt.slice(0, 10)}  ${amount.decimal} ${amount.currency}  ${merchant.name}`;
}
