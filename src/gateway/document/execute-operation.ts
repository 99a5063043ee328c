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
  /** @param start when the execution began; undefined if nobody wants to know how long it takes */
  function interpret(execution: Execution, start: number | undefined) {
    const { document, operation, variables, context } = execution;
    const result = execute({
      schema,
      document,
      variableValues: variables,
      operationName: operation.name?.value,
      contextValue: context,
      hideSuggestions: true,
    });
    if (start === undefined) return result;
    return result instanceof Promise
      ? result.then((ended) => publishExecution(execution, start, ended))
      : publishExecution(execution, start, result);
  }

  function run(execution: Execution, start: number | undefined) {
    const { document, operation, variables, context } = execution;
    const plan = plans.find(document, operation, variables);
    if (plan === undefined) return interpret(execution, start);
    // What the plan has read is not read again, except for money operations.
    const finish = (data: PlanResult) => {
      if (data === undefined) return interpret(execution, start);
      return start === undefined ? { data } : publishExecution(execution, start, { data });
    };
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

  // Not asynchronous: returning a promise from an asynchronous function costs three turns of the queue.
  return (execution) => {
    const { scope } = execution;
    if (scope.isRecorded && coercions.hasSubscribers) publishCoercion(execution);
    return run(execution, executions.isWanted(scope) ? performance.now() : undefined);
  };
}

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
