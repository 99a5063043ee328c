import type {
  CreateTransactionInput,
  MoneyInput,
} from './__generated__/transactionListChargeMutation.graphql.ts';
import type { transactionRow_transaction$key } from './__generated__/transactionRow_transaction.graphql.ts';

// What the compiled types are there to refuse. A mark that is not needed does not compile either.

/** Reads what it did not ask for itself. */
export function curious(row: transactionRow_transaction$key): unknown {
  // @ts-expect-error the fields of a masked fragment are for its own component
  return row.createdAt;
}

/** Has no clear idea of money. */
export const amount: MoneyInput = {
  // @ts-expect-error text is no number
  minorUnits: '995',
  currency: 'DKK',
};

/** Gives both of what can only be one. */
export const charge: Pick<CreateTransactionInput, 'source'> = {
  // @ts-expect-error a saved card or an earlier payment
  source: { cardId: 'crd_1', transactionId: 'txn_1' },
};
