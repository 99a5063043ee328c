import { GraphQLError } from 'graphql';
import type { Money } from '../schema/amount.ts';

/** Converts a sum to an amount. Throws if it is too large to be exact in JSON. */
export function toExactMoney(sum: bigint, currency: string): Money {
  const minorUnits = Number(sum);
  if (Number.isSafeInteger(minorUnits)) return { minorUnits, currency };
  throw new GraphQLError(
    `The sum of ${sum} minor units is too large to be exact. Sum fewer records.`,
    { extensions: { code: 'SUM_TOO_LARGE' } },
  );
}
