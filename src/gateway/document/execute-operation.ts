import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Variables } from './complexity.ts';
import type { Plans } from './plans.ts';

/** One operation of a document, and what it is executed with. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly context: object;
}

/** Executes an operation, with its plan if there is one. */
export type ExecuteOperation = (execution: Execution) => ExecutionResult | Promise<ExecutionResult>;

/** Creates the function that executes operations. */
export function createExecuteOperation(schema: GraphQLSchema, plans: Plans): ExecuteOperation {
  function interpret({ document, operation, variables, context }: Execution) {
    return execute({
      schema,
      document,
      variableValues: variables,
      operationName: operation.name?.value,
      contextValue: context,
      hideSuggestions: true,
    });
  }

  return async (execution) => {
    const { document, operation, variables, context } = execution;
    const plan = plans.find(document, operation, variables);
    const data = plan && (await plan(context, variables));
    // What the plan has read is not read again, except for money operations.
    return data === undefined ? interpret(execution) : { data };
  };
}
