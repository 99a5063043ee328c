import type { GraphQLField } from 'graphql';

const MOVES_MONEY = 'movesMoney';

/** Options of a mutation that moves money. The gateway limits how many of these a document has. */
export const movesMoney = { extensions: { [MOVES_MONEY]: true } } as const;

/** Whether a field was declared with {@link movesMoney}. */
export function isMoneyField(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return field?.extensions[MOVES_MONEY] === true;
}
