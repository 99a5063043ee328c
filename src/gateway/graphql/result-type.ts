import { builder, type GraphObject } from './builder.ts';
import { RequestErrorRef } from './mutation-error.ts';

/** What the members of a result have in common. */
interface Member {
  readonly __typename: string;
}

/**
 * The union that a mutation returns: its success type, its own error types and
 * `RequestError`.
 *
 * @param errors the mutation's own error types
 * @param note one more sentence for the description
 */
export function resultType<Success extends Member, Errors extends readonly Member[] = []>(
  mutation: string,
  success: GraphObject<Success>,
  errors?: { readonly [Index in keyof Errors]: GraphObject<Errors[Index]> },
  note?: string,
) {
  const field = `${mutation.charAt(0).toLowerCase()}${mutation.slice(1)}`;
  const description = `The result of \`${field}\`: its success type or a typed error.`;
  return builder.unionType(`${mutation}Result`, {
    description: note === undefined ? description : `${description} ${note}`,
    types: [success, ...(errors ?? []), RequestErrorRef],
    resolveType: ({ __typename }) => __typename,
  });
}
