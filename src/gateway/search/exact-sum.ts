import { GraphQLError } from 'graphql';
import type { Money } from '../schema/amount.ts';

/** A sum as an amount. An error if it is too large to be exact in JSON. */
export function toExactMoney(sum: bigint, currency: string): Money {
  const minorUnits = Number(sum);
  if (Number.isSafeInteger(minorUnits)) return { minorUnits, currency };
  throw new GraphQLError(
    `The sum of ${sum} minor units is too large for an exact number. Sum up fewer records.`,
    { extensions: { code: 'SUM_TOO_LARGE' } },
  );
}
