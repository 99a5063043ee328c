import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { coercions, executions, type Scope } from '../channels.ts';
import type { Variables } from './documents/complexity.ts';
import type { Plans } from './plans/plans.ts';

/** One operation of a document, and what it is executed with. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly context: object;
  readonly scope: Scope;
}

/** Executes an operation, with its plan if there is one. */
export type ExecuteOperation = (execution: Execution) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Creates the function that executes operations.
 *
 * @param suggests whether errors about variables suggest names from the schema
 */
export function createExecuteOperation(
  schema: GraphQLSchema,
  plans: Pick<Plans, 'find'>,
  suggests = false,
): ExecuteOperation {
  async function interpret({ document, operation, variables, context }: Execution) {
    const work = Promise.withResolvers<void>();
    const result = await execute({
      schema,
      document,
      variableValues: variables,
      operationName: operation.name?.value,
      contextValue: context,
      hideSuggestions: !suggests,
      hooks: { asyncWorkFinished: () => work.resolve() },
    });
    // If a field makes its object null, the other fields may still be reading. Waiting for them
    // ensures that no call is made after the response.
    if (result.data !== undefined) await work.promise;
    return result;
  }

  function run(execution: Execution) {
    const { document, operation, variables, context } = execution;
    const plan = plans.find(document, operation, variables);
    // If the variables are not valid, the plan executes nothing, and graphql-js reports the errors.
    return plan?.(context, variables) ?? interpret(execution);
  }

  /** Publishes how long it takes to coerce the variables. Execution coerces them again. */
  function publishCoercion({ operation, variables, scope }: Execution): void {
    const start = performance.now();
    const definitions = operation.variableDefinitions ?? [];
    const { errors = [] } = getVariableValues(schema, definitions, variables, HIDDEN);
    const [end, failed] = [performance.now(), errors.length > 0];
    coercions.publish({ scope, start, end, failed, type: operation.operation });
  }

  // Not an async function: returning a promise from one costs three turns of the microtask queue.
  return (execution) => {
    const { scope } = execution;
    if (scope.isRecorded && coercions.hasSubscribers) publishCoercion(execution);
    if (!executions.isWanted(scope)) return run(execution);
    const start = performance.now();
    const result = run(execution);
    return result instanceof Promise
      ? result.then((ended) => publishExecution(execution, start, ended))
      : publishExecution(execution, start, result);
  };
}

/** For errors that nobody sees. */
const HIDDEN = { hideSuggestions: true };

/** Publishes how long an execution took. Returns its result. */
function publishExecution(
  { scope, operation }: Execution,
  start: number,
  result: ExecutionResult,
): ExecutionResult {
  // The variables are not valid, so nothing was executed.
  if (result.data === undefined) return result;
  const end = performance.now();
  const failed = result.errors !== undefined && result.errors.length > 0;
  executions.publish(scope, { scope, start, end, failed, type: operation.operation });
  return result;
}
