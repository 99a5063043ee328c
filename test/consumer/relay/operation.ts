import {
  commitMutation,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  type GraphQLTaggedNode,
  getRequest,
  type MutationParameters,
  type OperationType,
} from 'relay-runtime';

/** Asks the gateway, and keeps in the store what a page shows as long as it lives. */
export async function open<Query extends OperationType>(
  environment: Environment,
  query: GraphQLTaggedNode,
  variables: Query['variables'],
): Promise<Query['response']> {
  environment.retain(createOperationDescriptor(getRequest(query), variables));
  return load<Query>(environment, query, variables);
}

/** Asks the gateway for more of what is shown already. */
export async function load<Query extends OperationType>(
  environment: Environment,
  query: GraphQLTaggedNode,
  variables: Query['variables'],
): Promise<Query['response']> {
  const response = await fetchQuery<Query>(environment, query, variables).toPromise();
  if (response === undefined) throw new Error('No answer.');
  return response;
}

/** Changes something; the store follows. */
export function commit<Mutation extends MutationParameters>(
  environment: Environment,
  mutation: GraphQLTaggedNode,
  variables: Mutation['variables'],
): Promise<Mutation['response']> {
  return new Promise((resolve, reject) => {
    commitMutation<Mutation>(environment, {
      mutation,
      variables,
      onCompleted: (response) => resolve(response),
      onError: reject,
    });
  });
}

/** What to tell people of a write. Without a result nobody knows whether it happened. */
export function outcome(
  result: { readonly refusal?: { readonly message: string } | null | undefined } | null | undefined,
  done: string,
): string {
  if (!result) return 'No answer. Look before you try again.';
  return result.refusal?.message ?? done;
}
