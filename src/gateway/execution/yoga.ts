import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import { type Identity, ownerOf } from '../access/identity.ts';
import { rateHeaders } from '../access/rate-limit.ts';
import { responses } from '../channels.ts';
import { EVENT_STREAM, responseTypeFor, wantsEvents } from '../http/accept.ts';
import type { Executed, Streamed } from '../http/executed.ts';
import { isLongerThan } from '../http/executed.ts';
import { GRAPHQL_RESPONSE } from '../http/respond.ts';
import type { Context } from '../schema/context.ts';
import { createAllowance } from '../upstream/allowance.ts';
import { createContext } from './create-context.ts';
import type { Pipeline } from './pipeline.ts';
import type { RequestRecord } from './request-record.ts';
import { createSubscribe } from './subscribe.ts';
import { useDocuments } from './use-documents.ts';

/** What Yoga gets for a request: its body, already read and checked, its record and its sender. */
interface Read extends Record<string, unknown> {
  readonly params: GraphQLParams;
  readonly record: RequestRecord;
  readonly identity: Identity;
}

/** Gives Yoga the body that was already read. */
const useReadBody: Plugin<object, Read> = {
  onRequestParse: ({ serverContext, setRequestParser }) =>
    setRequestParser(() => serverContext.params),
};

/** Notes the operation of each request and the errors of its response. */
const createUseRecord = (maxResponseBytes: number): Plugin<Read, Read> => ({
  onParse:
    () =>
    ({ context, result }) => {
      if (result !== null && !(result instanceof Error)) context.record.noteDocument(result);
    },
  onExecute: ({ args }) => {
    args.contextValue.record.noteOperation(args.document, args.operationName);
  },
  onExecutionResult: ({ request, result, context, setResult }) => {
    if (result === undefined || !('data' in result || 'errors' in result)) return;
    context.record.noteErrors(result.errors ?? []);
    if (isLongerThan(maxResponseBytes, result)) {
      context.record.isTooLarge = true;
      return setResult({ data: null });
    }
    const cost = request.headers.has(COST_HEADER) && costOf(context.record);
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

/** For a request with this header, the response contains its cost in `extensions.cost`. */
export const COST_HEADER = 'graphql-cost';

/** What a request cost, as far as it is known. */
function costOf({ cost, allowance }: RequestRecord) {
  if (cost === undefined) return undefined;
  return { complexity: cost.points, upstreamCalls: allowance.usage.calls };
}

/** What Yoga copies into its own context. */
interface WithGraph extends Record<string, unknown> {
  readonly graph: Context;
}

/** Creates the function that executes the requests that the fast path does not handle. */
export function createYogaServer(pipeline: Pipeline) {
  const { rate } = pipeline;
  const yoga = createServer(pipeline);
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    read: Read,
  ): Promise<Executed | Streamed> => {
    const { params, record } = read;
    const result = await yoga.handleNodeRequestAndResponse(preferring(request), response, read);
    if (responses.hasSubscribers) responses.publish({ path: 'yoga' });
    const headers = { ...readHeaders(result.headers), ...rateHeaders(rate, record.cost?.taken) };
    const end = (status: number) => record.end(status, params.query ?? '');
    if (result.body !== null && headers['content-type'] === EVENT_STREAM) {
      return { status: result.status, headers, stream: result.body, end };
    }
    const text = await result.text();
    return {
      status: result.status,
      headers,
      text,
      bytes: record.isTooLarge ? Number.POSITIVE_INFINITY : Buffer.byteLength(text),
      end,
    };
  };
}

function createServer(pipeline: Pipeline) {
  const { schema, shared, rate, read, measure, maxComplexity, execute, maskError } = pipeline;
  const subscribe = createSubscribe(schema, maskError);
  const documents = useDocuments<Read & WithGraph & YogaInitialContext>({
    read,
    measure,
    maxComplexity,
    admit: async ({ identity, record }, points) => {
      // The fast path has already taken the points. A request that it refuses does not get here.
      if (record.cost !== undefined) return undefined;
      const taken = await rate.take(identity, points);
      record.noteCost(points, taken);
      return taken.isGranted ? undefined : taken.resetMs;
    },
    execute,
    subscribe: async ({ document, ...operation }, { graph, record, identity, request }) => {
      if (!wantsEvents(request.headers.get('accept') ?? '')) return { errors: [notAccepted()] };
      record.noteOperation(document, operation.operationName);
      record.noteExecution();
      graph.closed = request.signal;
      graph.takeEvent = async () => {
        const taken = await rate.take(identity, record.cost?.points ?? 0);
        return taken.isGranted ? 0 : taken.resetMs;
      };
      const { requestId } = record.allowance;
      const beginEvent = () => {
        const allowance = createAllowance(requestId, shared.allowance);
        return { context: createContext(shared, identity, allowance), end: allowance.end };
      };
      return subscribe({ document, ...operation, context: graph, beginEvent });
    },
    scopeOf: ({ record }) => record.scope,
    begin: ({ graph, record }) => {
      record.noteExecution();
      return { context: graph, scope: record.scope };
    },
  });
  return createYoga<Read, WithGraph>({
    schema,
    // In a separate property: Yoga copies own properties, and a context's sources are inherited.
    context: ({ identity, record }) => {
      record.noteCaller(ownerOf(identity));
      return { graph: createContext(shared, identity, record.allowance) };
    },
    maskedErrors: { maskError },
    plugins: [createUseRecord(pipeline.maxResponseBytes), documents, useReadBody],
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

const notAccepted = () =>
  new GraphQLError(
    'A subscription is sent as Server-Sent Events: the header accept must contain text/event-stream.',
    { extensions: { code: 'NOT_ACCEPTABLE' } },
  );

/**
 * Puts the media type that the client prefers first in its `accept` header. Yoga ignores weights:
 * of the types for a complete response, it takes the first.
 */
function preferring(request: IncomingMessage): IncomingMessage {
  const { accept = '*/*' } = request.headers;
  const type = responseTypeFor(accept);
  request.headers.accept = type === undefined ? EVENT_STREAM : `${type},${accept}`;
  return request;
}

/** Headers that the server sets itself. The response is complete, so it is not sent in chunks. */
const OF_SERVER = new Set([
  'connection',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'cache-control',
  'x-content-type-options',
]);

function readHeaders(headers: Headers): Record<string, string> {
  const all = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(all.filter(([name]) => !OF_SERVER.has(name)));
}
