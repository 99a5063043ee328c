import type {
  CreateTransactionInput,
  MoneyInput,
} from './__generated__/transactionListChargeMutation.graphql.ts';
import type { transactionRow_transaction$key } from './__generated__/transactionRow_transaction.graphql.ts';

// Mistakes that the compiled types prevent. An unneeded mark is a compile error too.

/** Reads a field that it did not select. */
export function curious(row: transactionRow_transaction$key): unknown {
  // @ts-expect-error only the component of a masked fragment can read its fields
  return row.createdAt;
}

/** Writes an amount as text. */
export const amount: MoneyInput = {
  // @ts-expect-error text is not a number
  minorUnits: '995',
  currency: 'DKK',
};

/** Gives two sources where only one is possible. */
export const charge: Pick<CreateTransactionInput, 'source'> = {
  // @ts-expect-error the source is a saved card or an earlier payment
  source: { cardId: 'crd_1', transactionId: 'txn_1' },
};
