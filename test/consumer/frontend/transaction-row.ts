import { type FragmentType, graphql, unmask } from './gql/index.ts';
import { moneyText } from './money.ts';

const TransactionRow = graphql(`
  fragment TransactionRow on Transaction {
    createdAt
    successful
    amount {
      ...MoneyText
    }
    card {
      scheme
      last4
    }
  }
`);

/** The data of a row. Only `transactionRow` can read its fields. */
export type TransactionRowData = FragmentType<typeof TransactionRow>;

/** One line of a list of payments. */
export function transactionRow(transaction: TransactionRowData): string {
  const { createdAt, successful, amount, card } = unmask(TransactionRow, transaction);
  const paidWith = card ? `${card.scheme} ${card.last4}` : 'no card';
  return `${createdAt.slice(0, 10)}  ${moneyText(amount)}  ${paidWith}${successful ? '' : '  declined'}`;
}
