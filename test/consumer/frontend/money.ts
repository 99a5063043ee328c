import { type FragmentType, graphql, unmask } from './gql/index.ts';

const MoneyText = graphql(`
  fragment MoneyText on Money {
    decimal
    minorUnits
    currency
  }
`);

/** An amount as text. `decimal` is null for a currency that is not in the published list. */
export function moneyText(money: FragmentType<typeof MoneyText>): string {
  const { decimal, minorUnits, currency } = unmask(MoneyText, money);
  return decimal === null ? `${minorUnits} minor units of ${currency}` : `${decimal} ${currency}`;
}
