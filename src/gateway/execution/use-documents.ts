import { execute as executeWithoutPlan, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Scope } from '../channels.ts';
import type { MeasureComplexity } from './documents/complexity.ts';
import type { ReadText } from './documents/document-cache.ts';
import { exceeds, rateLimited } from './documents/request-error.ts';
import type { ExecuteOperation, Execution } from './execute-operation.ts';

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
}: UseDocuments<YogaContext>): Plugin<YogaContext> {
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
        const cost = measure(document, operation, variables);
        const exceeded = exceeds('COMPLEXITY_LIMIT', cost, maxComplexity);
        if (exceeded) return setResultAndStopExecution({ errors: [exceeded] });
        const retryAfterMs = await admit(args.contextValue, cost);
        if (retryAfterMs !== undefined) {
          return setResultAndStopExecution({ errors: [rateLimited(retryAfterMs)] });
        }
        const begun = begin(args.contextValue);
        setExecuteFn(() => execute({ document, operation, variables, ...begun }));
      } else {
        // graphql-js reports what is wrong with the name of the operation.
        setExecuteFn((given) => executeWithoutPlan({ ...given, hideSuggestions: true }));
      }
    },
  };
}
