import type { IncomingMessage, ServerResponse } from 'node:http';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { createContext, type Shared } from './create-context.ts';
import { cacheDocuments } from './document/document-cache.ts';
import { readDocument } from './document/read-document.ts';
import { type Admit, useDocuments } from './document/use-documents.ts';
import { createMaskError } from './errors.ts';
import { toSubgraph } from './federation/subgraph.ts';
import type { Log } from './log.ts';
import { createRateLimit } from './protect/rate-limit.ts';
import { schema } from './schema.ts';
import type { GatewaySettings } from './settings.ts';
import { startTrace, type Trace } from './trace.ts';

/** What a request passes to Yoga: its body, which was read and checked, and its trace. */
interface Read extends Record<string, unknown> {
  readonly params: GraphQLParams;
  readonly trace: Trace;
}

/** Yoga takes the body that was read, and does not read it itself. */
const useReadBody: Plugin<object, Read> = {
  onRequestParse: ({ serverContext, setRequestParser }) =>
    setRequestParser(() => serverContext.params),
};

/** Notes the operation of each request and the errors of its response. */
const useTrace: Plugin<Read, Read> = {
  onExecute: ({ args }) => {
    args.contextValue.trace.noteOperation(args.document, args.operationName);
  },
  onExecutionResult: ({ result, context }) => {
    if (result !== undefined && 'errors' in result) context.trace.noteErrors(result.errors ?? []);
  },
};

/** What requests are executed with. */
type ExecuteSettings = Pick<
  GatewaySettings,
  'federation' | 'documents' | 'introspection' | 'production' | 'log' | 'rate'
>;

/** Who sends a request, by its context. */
function ownerOf(context: object): string {
  return 'owner' in context ? String(context.owner) : '';
}

/** Creates the function that executes GraphQL requests. */
export function createExecute(
  settings: ExecuteSettings,
  shared: Shared,
  log: Log,
  onBug: (error: unknown) => void,
) {
  const { federation, documents, production, introspection = !production } = settings;
  const { limits, cache } = documents;
  const served = federation ? toSubgraph(schema) : schema;
  const rules = { schema: served, limits, introspection };
  const read = cacheDocuments((text) => readDocument(text, rules), cache);
  const rate = createRateLimit(settings.rate.pointsPerMinute, () => performance.now());
  const admit: Admit = (context, points) => rate.take(ownerOf(context), points)?.retryAfterMs;
  const yoga = createYoga<Read>({
    schema: served,
    context: async ({ request, trace }) => {
      const identity = await shared.identify(request.headers.get('authorization'));
      return createContext(shared, identity, trace.allowance);
    },
    maskedErrors: { maskError: createMaskError(onBug) },
    plugins: [useTrace, useDocuments(read, served, limits.complexity, admit), useReadBody],
    logging: false,
    landingPage: false,
    // Done before Yoga gets the request.
    cors: false,
    graphiql: false,
    maxRequestBodySize: false,
    multipart: false,
    parserAndValidationCache: false,
  });
  return async (request: IncomingMessage, response: ServerResponse, params: GraphQLParams) => {
    const id = request.headers['x-request-id'];
    const trace = startTrace(id, shared.allowance, settings.log.operationNames);
    const result = await yoga.handleNodeRequestAndResponse(request, response, { params, trace });
    return {
      result,
      log: (status: number) => {
        if (log.hasRequests) log.request(trace.toLine(status, params.query ?? ''));
      },
    };
  };
}
