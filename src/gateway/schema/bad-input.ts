import { GraphQLError } from 'graphql';

/**
 * Creates the error for an invalid argument, before any service is called. `argument` is its path.
 */
export function badInput(message: string, argument: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', argument } });
}
