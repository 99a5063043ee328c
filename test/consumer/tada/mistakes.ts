import type { ResultOf, VariablesOf } from 'gql.tada';
import type { Payments } from './payments';

// @ts-expect-error: an id is text
export const variables: VariablesOf<typeof Payments> = { merchantId: 7 };

export function sizeOf({ merchant }: ResultOf<typeof Payments>): number | undefined {
  const amount = merchant?.transactions?.edges[0]?.node.pendingAmount;
  // @ts-expect-error: an amount is a number
  const text: string | undefined = amount?.minorUnits;
  return text?.length;
}
