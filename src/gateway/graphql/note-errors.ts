import type { GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';

/** What a mutation returns: its success type, or a typed error. */
type Result = { readonly __typename?: string; readonly code?: string } | null | undefined;

/**
 * Lets every mutation note the code of a typed error that it returns. For clients, these errors
 * are data; for operators, they are errors like the others.
 */
export function noteErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (root, args, context: Context, info) => {
      // What the resolvers of mutations return.
      const result = (await resolve(root, args, context, info)) as Result;
      if (result?.code !== undefined && result.__typename?.endsWith('Error')) {
        context.noteErrorCode(result.code);
      }
      return result;
    };
  }
  return schema;
}
