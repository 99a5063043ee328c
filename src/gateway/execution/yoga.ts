import type { DocumentNode, GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { type Identity, ownerOf } from '../access/identity.ts';
import type { RateLimit } from '../access/rate-limit.ts';
import type { Context } from '../context/context.ts';
import { createContext, type Shared } from '../context/create-context.ts';
import { responseTypeFor } from '../http/accept.ts';
import { GRAPHQL_RESPONSE } from '../http/respond.ts';
import { isLongerThan } from '../http/response-length.ts';
import type { Scope } from '../telemetry/channels.ts';
import type { Trace } from '../telemetry/trace.ts';
import type { ReadText } from './documents/document-cache.ts';
import type { ExecuteOperation } from './documents/execute-operation.ts';
import type { MeasureComplexity } from './documents/measure-complexity.ts';
import type { DocumentError, Named } from './documents/persisted/persisted-documents.ts';
import type { ReadDocument } from './documents/read-document.ts';
import { useDocuments } from './documents/use-documents.ts';

/** What a request passes to Yoga: its body, which was read and checked, its trace and sender. */
interface Read extends Record<string, unknown> {
  readonly params: GraphQLParams;
  readonly trace: Trace;
  readonly identity: Identity;
}

/** Yoga takes the body that was read, and does not read it itself. */
const useReadBody: Plugin<object, Read> = {
  onRequestParse: ({ serverContext, setRequestParser }) =>
    setRequestParser(() => serverContext.params),
};

/** Notes the operation of each request and the errors of its response. */
const createUseTrace = (maxResponseBytes: number): Plugin<Read, Read> => ({
  onParse:
    () =>
    ({ context, result }) => {
      if (result !== null && !(result instanceof Error)) context.trace.noteDocument(result);
    },
  onExecute: ({ args }) => {
    args.contextValue.trace.noteOperation(args.document, args.operationName);
  },
  onExecutionResult: ({ request, result, context, setResult }) => {
    if (result === undefined || !('data' in result || 'errors' in result)) return;
    context.trace.noteErrors(result.errors ?? []);
    if (isLongerThan(maxResponseBytes, result)) {
      context.trace.isTooLarge = true;
      return setResult({ data: null });
    }
    const cost = request.headers.has(COST_HEADER) && costOf(context.trace);
    const isRejected =
      !('data' in result) &&
      responseTypeFor(request.headers.get('accept') ?? '') === GRAPHQL_RESPONSE;
    if (!cost && !isRejected) return;
    const extensions = {
      ...result.extensions,
      ...(cost && { cost }),
      ...(isRejected && { http: { status: 400 } }),
    };
    setResult({ ...result, extensions });
  },
});

/** A request with this header gets what it cost, in `extensions.cost` of its response. */
export const COST_HEADER = 'graphql-cost';

/** What a request cost, so far as it is known. */
function costOf({ cost, allowance }: Trace) {
  if (cost === undefined) return undefined;
  return { complexity: cost.points, upstreamCalls: allowance.usage.calls };
}

/** What Yoga answers with. The fast path uses the same. */
export interface Answering {
  readonly schema: GraphQLSchema;
  readonly shared: Shared;
  /** Finds the text that a request names, or says why it is rejected. */
  readonly resolve: (named: Named) => string | DocumentError;
  /** Reads a document, or takes it from the cache. */
  readonly read: ReadText;
  /** Reads a text that was made from a document. */
  readonly readDerived: (text: string, from: DocumentNode, scope: Scope) => ReadDocument;
  readonly measure: MeasureComplexity;
  readonly maxComplexity: number;
  readonly rate: RateLimit;
  readonly execute: ExecuteOperation;
  readonly maskError: (error: unknown) => Error;
  /** Size of the largest response that is sent. */
  readonly maxResponseBytes: number;
}

/** What Yoga copies into its own context. */
interface WithGraph extends Record<string, unknown> {
  readonly graph: Context;
}

/** Creates the Yoga server, which answers every request that the fast path leaves. */
export function createServer(answering: Answering) {
  const { schema, shared, read, measure, maxComplexity, rate, execute, maskError } = answering;
  const documents = useDocuments<Read & WithGraph>({
    read,
    measure,
    maxComplexity,
    admit: async ({ identity, trace }, points) => {
      // The fast path has taken them. What it refuses does not get here.
      if (trace.cost !== undefined) return undefined;
      const taken = await rate.take(identity, points);
      trace.noteCost(points, taken);
      return taken.isGranted ? undefined : taken.resetMs;
    },
    execute,
    scopeOf: ({ trace }) => trace.scope,
    begin: ({ graph, trace }) => {
      trace.noteExecution();
      return { context: graph, scope: trace.scope };
    },
  });
  return createYoga<Read, WithGraph>({
    schema,
    // Under a name of its own: Yoga copies what this returns, and a context has no own sources yet.
    context: ({ identity, trace }) => {
      trace.noteCaller(ownerOf(identity));
      return { graph: createContext(shared, identity, trace.allowance) };
    },
    maskedErrors: { maskError },
    plugins: [createUseTrace(answering.maxResponseBytes), documents, useReadBody],
    logging: false,
    landingPage: false,
    // Done before Yoga gets the request.
    cors: false,
    graphiql: false,
    maxRequestBodySize: false,
    multipart: false,
    parserAndValidationCache: false,
  });
}
