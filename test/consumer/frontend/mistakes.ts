import type { CaptureResult } from './capture.ts';
import type { CaptureMutationVariables, MoneyInput } from './gql/graphql.ts';
import type { TransactionRowData } from './transaction-row.ts';

// What the generated types are there to refuse. A mark that is not needed does not compile either.

/** Forgets one of the answers. */
export function forgetful(result: CaptureResult): string {
  switch (result.__typename) {
    case 'CaptureTransactionSuccess':
      return 'captured';
    case 'AmountTooLargeError':
      return 'too much';
    default: {
      // @ts-expect-error two kinds of error are left over
      const nothing: never = result;
      return nothing;
    }
  }
}

/** Reads what it did not ask for itself. */
export function curious(row: TransactionRowData): unknown {
  // @ts-expect-error the fields of a masked fragment are for its own component
  return row.createdAt;
}

/** Has no clear idea of money. */
export const amounts: readonly MoneyInput[] = [
  // @ts-expect-error text is no number
  { minorUnits: '995', currency: 'DKK' },
  // @ts-expect-error an amount without its currency
  { minorUnits: 995 },
];

/** Leaves out what is required. */
export const incomplete: CaptureMutationVariables = {
  // @ts-expect-error how much?
  input: { transactionId: 'txn_1' },
};
