import type { GraphQLField } from 'graphql';

const MOVES_MONEY = 'movesMoney';

/** Options of a mutation that moves money: the gateway limits how many a document has. */
export const movesMoney = { extensions: { [MOVES_MONEY]: true } } as const;

/** Whether a field was declared with {@link movesMoney}. */
export function isMoneyField(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return field?.extensions[MOVES_MONEY] === true;
}
