import type { CaptureResult } from './capture.ts';
import type { CaptureMutationVariables, MoneyInput } from './gql/graphql.ts';
import type { TransactionRowData } from './transaction-row.ts';

// Mistakes that the generated types prevent. An unneeded mark is a compile error too.

/** Has no case for two of the results. */
export function forgetful(result: CaptureResult): string {
  switch (result.__typename) {
    case 'CaptureTransactionSuccess':
      return 'captured';
    case 'AmountTooLargeError':
      return 'too much';
    default: {
      // @ts-expect-error two error types have no case
      const nothing: never = result;
      return nothing;
    }
  }
}

/** Reads a field that it did not select. */
export function curious(row: TransactionRowData): unknown {
  // @ts-expect-error only the component of a masked fragment can read its fields
  return row.createdAt;
}

/** Writes amounts in wrong ways. */
export const amounts: readonly MoneyInput[] = [
  // @ts-expect-error text is not a number
  { minorUnits: '995', currency: 'DKK' },
  // @ts-expect-error an amount without its currency
  { minorUnits: 995 },
];

/** Leaves out required fields. */
export const incomplete: CaptureMutationVariables = {
  // @ts-expect-error the amount and the key are missing
  input: { transactionId: 'txn_1' },
};
