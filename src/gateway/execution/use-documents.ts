import {
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeWithoutPlan,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Scope } from '../channels.ts';
import type { MeasureComplexity } from './documents/complexity.ts';
import type { ReadText } from './documents/document-cache.ts';
import { exceeds, rateLimited } from './documents/request-error.ts';
import type { ExecuteOperation, Execution } from './execute-operation.ts';
import type { Subscription } from './subscribe.ts';

/** How documents are read and operations are executed. */
export interface UseDocuments<YogaContext extends object> {
  readonly read: ReadText;
  readonly measure: MeasureComplexity;
  readonly maxComplexity: number;
  /**
   * Decides whether a request with this complexity may be executed now. If it may not, returns the
   * milliseconds after which it may.
   */
  readonly admit: (context: YogaContext, complexity: number) => Promise<number | undefined>;
  readonly execute: ExecuteOperation;
  /** Creates what resolvers get, and what identifies the request. Called before the execution. */
  readonly begin: (context: YogaContext) => Pick<Execution, 'context' | 'scope'>;
  /** Starts a subscription. */
  readonly subscribe: (
    operation: Pick<Subscription, 'document' | 'operationName' | 'variables'>,
    context: YogaContext,
  ) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;
  readonly scopeOf: (context: YogaContext) => Scope;
}

/**
 * Reads documents with `read` instead of Yoga's parser, validation and cache, and checks the
 * complexity of each request, which depends on its variables.
 */
export function useDocuments<YogaContext extends object>({
  read,
  measure,
  maxComplexity,
  admit,
  execute,
  begin,
  scopeOf,
  subscribe,
}: UseDocuments<YogaContext>): Plugin<YogaContext> {
  /** Why an operation is not executed; undefined if it is. */
  async function refuse(
    operation: OperationDefinitionNode,
    { document, variableValues, contextValue }: ExecutionArgs,
  ): Promise<GraphQLError | undefined> {
    const cost = measure(document, operation, variableValues ?? {});
    const exceeded = exceeds('COMPLEXITY_LIMIT', cost, maxComplexity);
    if (exceeded) return exceeded;
    const retryAfterMs = await admit(contextValue as YogaContext, cost);
    return retryAfterMs === undefined ? undefined : rateLimited(retryAfterMs);
  }

  return {
    onParse: ({ params, context, setParseFn }) => {
      const found = read(String(params.source), scopeOf(context));
      setParseFn(() => {
        if ('document' in found) return found.document;
        throw new AggregateError(found.errors);
      });
    },
    onValidate: ({ setResult }) => setResult([]),
    onExecute: async ({ args, setExecuteFn, setResultAndStopExecution }) => {
      const { document, operationName, variableValues } = args;
      const operation = getOperationAST(document, operationName);
      if (operation) {
        const variables = variableValues ?? {};
        const refused = await refuse(operation, args);
        if (refused) return setResultAndStopExecution({ errors: [refused] });
        const begun = begin(args.contextValue);
        setExecuteFn(() => execute({ document, operation, variables, ...begun }));
      } else {
        // graphql-js reports what is wrong with the name of the operation.
        setExecuteFn((given) => executeWithoutPlan({ ...given, hideSuggestions: true }));
      }
    },
    onSubscribe: async ({ args, setSubscribeFn, setResultAndStopExecution }) => {
      const { document, operationName, variableValues, contextValue } = args;
      const operation = getOperationAST(document, operationName);
      const refused = operation && (await refuse(operation, args));
      if (refused) return setResultAndStopExecution({ errors: [refused] });
      setSubscribeFn(() =>
        subscribe({ document, operationName, variables: variableValues ?? {} }, contextValue),
      );
    },
  };
}
