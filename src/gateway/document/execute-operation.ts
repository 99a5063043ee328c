import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { coercions, executions, type Scope } from '../channels.ts';
import type { Variables } from './complexity.ts';
import type { PlanResult } from './plan/compile-plan.ts';
import type { Plans } from './plans.ts';

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

/** Creates the function that executes operations. */
export function createExecuteOperation(
  schema: GraphQLSchema,
  plans: Pick<Plans, 'find'>,
): ExecuteOperation {
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

  function run(execution: Execution): ExecutionResult | Promise<ExecutionResult> {
    const { document, operation, variables, context } = execution;
    const plan = plans.find(document, operation, variables);
    if (plan === undefined) return interpret(execution);
    // What the plan has read is not read again, except for money operations.
    const finish = (data: PlanResult) => (data === undefined ? interpret(execution) : { data });
    const planned = plan(context, variables);
    return planned instanceof Promise ? planned.then(finish) : finish(planned);
  }

  /** Publishes how long it takes to coerce the variables, which execution does once more. */
  function publishCoercion({ operation, variables, scope }: Execution): void {
    const start = performance.now();
    const definitions = operation.variableDefinitions ?? [];
    const { errors = [] } = getVariableValues(schema, definitions, variables);
    const [end, failed] = [performance.now(), errors.length > 0];
    coercions.publish({ scope, start, end, failed, type: operation.operation });
  }

  async function publishExecution(execution: Execution): Promise<ExecutionResult> {
    const { scope, operation } = execution;
    const start = performance.now();
    const result = await run(execution);
    const end = performance.now();
    const failed = result.errors !== undefined && result.errors.length > 0;
    executions.publish(scope, { scope, start, end, failed, type: operation.operation });
    return result;
  }

  // Not asynchronous itself: to return a promise from there costs three turns of the queue.
  return (execution) => {
    if (execution.scope.isRecorded && coercions.hasSubscribers) publishCoercion(execution);
    return executions.isWanted(execution.scope) ? publishExecution(execution) : run(execution);
  };
}
