import type { Ask } from '../support/start-stack.ts';

/** The three ways to move the money of a transaction. */
export type Movement = 'capture' | 'refund' | 'void';

const OPERATION =
  'operation { idempotencyKey kind amount { minorUnits } status replayed evidence advice }';

/** Moves money through the front door, and looks at what came of it. */
export function movements(
  ask: (query: string, variables?: Record<string, unknown>) => ReturnType<Ask>,
) {
  return {
    /** One movement; `ended` is the end of its type's name. */
    move: async (
      movement: Movement,
      transactionId: string,
      minorUnits: number,
      idempotencyKey: string,
    ) => {
      const name = `${movement.charAt(0).toUpperCase()}${movement.slice(1)}Transaction`;
      const { data, errors } = await ask(
        `mutation ($input: ${name}Input!) { result: ${movement}Transaction(input: $input) {
          __typename
          ... on ${name}Success { ${OPERATION} entry: trailEntry { createdAt amount { minorUnits } } transaction { id } }
          ... on OutcomeUnknownError { ${OPERATION} }
          ... on MutationError { code message path }
        } }`,
        { input: { transactionId, amount: { minorUnits, currency: 'EUR' }, idempotencyKey } },
      );
      if (errors !== undefined) throw new Error(errors[0]?.message);
      const { __typename, ...result } = data.result;
      return { ended: __typename.replace(name, ''), ...result };
    },

    /** The operation with this key, through `Query.moneyOperation`. */
    find: async (transactionId: string, key: string) => {
      const { data } = await ask(`{ transaction(id: "${transactionId}") { merchant { id } } }`);
      const found = await ask(
        `query ($merchant: ID!, $key: String!) { moneyOperation(merchantId: $merchant, idempotencyKey: $key) {
          idempotencyKey kind amount { minorUnits } status replayed evidence advice } }`,
        { merchant: data.transaction.merchant.id, key },
      );
      return found.data.moneyOperation;
    },

    /** What the service has in its books, oldest first. */
    trail: async (transactionId: string): Promise<{ kind: string; amount: number }[]> => {
      const { data } = await ask(
        `{ transaction(id: "${transactionId}") { trail { __typename amount { minorUnits } } } }`,
      );
      return data.transaction.trail.map(
        (entry: { __typename: string; amount: { minorUnits: number } }) => ({
          kind: entry.__typename.replace('TrailEntry', '').toLowerCase(),
          amount: entry.amount.minorUnits,
        }),
      );
    },
  };
}
