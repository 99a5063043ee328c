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

/** Sends a query and keeps its records in the store for the life of the environment. */
export async function open<Query extends OperationType>(
  environment: Environment,
  query: GraphQLTaggedNode,
  variables: Query['variables'],
): Promise<Query['response']> {
  environment.retain(createOperationDescriptor(getRequest(query), variables));
  return load<Query>(environment, query, variables);
}

/** Sends a query whose records are already kept. */
export async function load<Query extends OperationType>(
  environment: Environment,
  query: GraphQLTaggedNode,
  variables: Query['variables'],
): Promise<Query['response']> {
  const response = await fetchQuery<Query>(environment, query, variables).toPromise();
  if (response === undefined) throw new Error('No answer.');
  return response;
}

/** Sends a mutation and updates the store. */
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

/** The text to show after a write. Without a result, nobody knows whether it happened. */
export function outcome(
  result: { readonly error?: { readonly message: string } | null | undefined } | null | undefined,
  done: string,
): string {
  if (!result) return 'No answer. Read the record before you try again.';
  return result.error?.message ?? done;
}
