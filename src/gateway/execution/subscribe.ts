import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  type GraphQLSchema,
  validateSubscriptionArgs,
} from 'graphql';
import { InterruptedError } from '../events/position.ts';

/** What one event is executed with, and what to do when it was. */
interface EventContext {
  readonly context: object;
  end(): void;
}

/** What a subscription is executed with. */
export interface Subscription extends Pick<ExecutionArgs, 'document' | 'operationName'> {
  readonly variables: ExecutionArgs['variableValues'];
  readonly context: object;
  /** Each event is executed like a request of its own, with its own limits. */
  readonly beginEvent: () => EventContext;
}

/** Starts subscriptions. If one ends with an error, the error is sent first, with where to go on. */
export function createSubscribe(schema: GraphQLSchema, maskError: (error: unknown) => Error) {
  return async ({ document, operationName, variables, context, beginEvent }: Subscription) => {
    const validated = validateSubscriptionArgs({
      ...{ schema, document, operationName, contextValue: context, hideSuggestions: true },
      variableValues: variables,
    });
    if ('length' in validated) return { errors: validated };
    const source = await createSourceEventStream(validated);
    if (!(Symbol.asyncIterator in source)) return source;
    const execute = (rootValue: unknown, contextValue: object) =>
      executeSubscriptionEvent({ ...validated, rootValue, contextValue });
    return respond(source, execute, beginEvent, maskError);
  };
}

async function* respond(
  events: AsyncIterable<unknown>,
  execute: (event: unknown, context: object) => ExecutionResult | Promise<ExecutionResult>,
  beginEvent: () => EventContext,
  maskError: (error: unknown) => Error,
): AsyncGenerator<ExecutionResult> {
  try {
    for await (const event of events) {
      const { context, end } = beginEvent();
      try {
        yield await execute(event, context);
      } finally {
        end();
      }
    }
  } catch (error) {
    yield { errors: [toLastError(error, maskError)] };
  }
}

/** Why a subscription ended, with where to go on. */
function toLastError(error: unknown, maskError: (error: unknown) => Error): GraphQLError {
  const isInterrupted = error instanceof InterruptedError;
  const cause = isInterrupted ? error.cause : error;
  const isKnown = cause instanceof GraphQLError || !(cause instanceof Error);
  const masked = maskError(
    isKnown ? cause : new GraphQLError(cause.message, { originalError: cause }),
  );
  const { extensions = {} } = masked instanceof GraphQLError ? masked : {};
  const cursor = isInterrupted ? { cursor: error.cursor } : {};
  return new GraphQLError(masked.message, { extensions: { ...extensions, ...cursor } });
}
