import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Identity } from '../access/identity.ts';
import type { Taken } from '../access/rate-accounts.ts';
import { type RateLimit, rateHeaders } from '../access/rate-limit.ts';
import type { Shared } from '../context/create-context.ts';
import { responseTypeFor } from '../http/accept.ts';
import type { Execute, Executed } from '../http/executed.ts';
import type { RequestParams } from '../http/read-params.ts';
import { GRAPHQL_RESPONSE, toErrorBody, toErrorType } from '../http/respond.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { answers } from '../telemetry/channels.ts';
import type { Log } from '../telemetry/log.ts';
import { Trace } from '../telemetry/trace.ts';
import type { Flights } from '../upstream/flights.ts';
import { cacheDocuments } from './documents/document-cache.ts';
import { createDocumentRules } from './documents/document-rules.ts';
import { createExecuteOperation } from './documents/execute-operation.ts';
import { createMeasureComplexity } from './documents/measure-complexity.ts';
import type {
  DocumentError,
  PersistedDocuments,
} from './documents/persisted/persisted-documents.ts';
import { type DocumentRules, readDocument } from './documents/read-document.ts';
import { rateLimited, retryAfter } from './documents/request-error.ts';
import { createMaskError } from './errors.ts';
import { type Answer, createFastPath } from './fast-path.ts';
import { createPlans, type Plans } from './plans/plans.ts';
import { createServeExport, type ServeExport } from './serve-export.ts';
import { type Answering, createServer } from './yoga.ts';

/** What requests are executed with. */
type ExecuteSettings = Pick<
  GatewaySettings,
  | 'federation'
  | 'documents'
  | 'introspection'
  | 'production'
  | 'log'
  | 'plans'
  | 'fastPath'
  | 'http'
  | 'pageMax'
  | 'exports'
  | 'graphiql'
  | 'persisted'
>;

/** What answers the requests that were accepted. */
export interface Executing extends Execute {
  readonly serveExport: ServeExport;
  /** How many compiled queries there are. */
  countPlans(): number;
}

/**
 * Creates what executes GraphQL requests: the fast path, and Yoga for all that it leaves.
 *
 * @param persisted the documents that clients may name by an id
 * @param flights queries that requests share; undefined if each is executed alone
 */
export function createExecute(
  settings: ExecuteSettings,
  shared: Shared,
  rate: RateLimit,
  persisted: PersistedDocuments,
  log: Log,
  onBug: (error: unknown) => void,
  flights: Flights<Answer | undefined> | undefined,
): Executing {
  const rules = createDocumentRules(settings);
  const plans = createPlans(rules.schema, settings.plans);
  const answering = createAnswering(settings, rules, plans, rate, shared, persisted, onBug);
  const yoga = createServer(answering);
  const { allowance: limits } = shared;
  const traces = { limits, showsNames: settings.log.operationNames, log, persisted };
  const startTraceOf = ({ headers }: IncomingMessage) => new Trace(headers, traces);
  const fastPath = createFastPath({
    ...answering,
    startTrace: startTraceOf,
    flights,
    finish: (type, { prepared, text, bytes, errors }, trace) => {
      const { document, documentText, operation } = prepared;
      trace.noteOperation(document, operation.name?.value);
      trace.noteExecution();
      trace.noteErrors(errors);
      if (answers.hasSubscribers) answers.publish({ path: 'fast' });
      const headers = { ...typed(type), ...rateHeaders(rate, trace.cost?.taken) };
      const end = (status: number) => trace.end(status, documentText);
      return { status: 200, headers, text, bytes, end };
    },
    refuse: (type, taken, document, trace) => {
      const headers = { ...retryAfter(taken.resetMs), ...rateHeaders(rate, taken) };
      return toRefusal({ ...typed(type), ...headers }, taken, document, trace);
    },
  });

  const serveExport = createServeExport(answering, {
    ...settings.exports,
    maxJsonDepth: settings.http.maxJsonDepth,
    pageMax: settings.pageMax,
    startTrace: startTraceOf,
  });

  return {
    serveExport,
    countPlans: () => plans.size,
    join: (request, body) => (settings.fastPath ? fastPath.join(request, body) : undefined),
    run: async (request, response, body, asked) => {
      const trace = startTraceOf(request);
      const identified = fastPath.identify(request);
      const identity = identified instanceof Promise ? await identified : identified;
      // Before anything else is done for it, also if the fast path is off.
      const refused = fastPath.refuseAgain(request, identity, asked.query ?? '', trace);
      if (refused) return refused;
      const query = answering.resolve(asked);
      if (typeof query !== 'string') {
        trace.noteErrors([new GraphQLError(query.message, { extensions: { code: query.code } })]);
        const end = (status: number) => trace.end(status, asked.query ?? '');
        return { ...toDocumentError(request, query), end };
      }
      const params = asked.query === undefined ? withText(asked, query) : asked;
      try {
        const executed =
          settings.fastPath && (await fastPath.run(request, identity, body, params, trace));
        if (executed) return executed;
        const server = { params, trace, identity };
        const left = await runYoga(yoga, rate, request, response, server);
        return { ...left, end: (status) => trace.end(status, query) };
      } catch (error) {
        // It is not answered, so it holds nothing any more.
        trace.allowance.end();
        throw error;
      }
    },
  };
}

/** Answers a request that the fast path leaves. */
async function runYoga(
  yoga: ReturnType<typeof createServer>,
  rate: RateLimit,
  request: IncomingMessage,
  response: ServerResponse,
  server: { readonly params: GraphQLParams; readonly trace: Trace; readonly identity: Identity },
): Promise<Omit<Executed, 'end'>> {
  const { trace } = server;
  const result = await yoga.handleNodeRequestAndResponse(preferring(request), response, server);
  if (answers.hasSubscribers) answers.publish({ path: 'yoga' });
  const text = await result.text();
  return {
    status: result.status,
    headers: { ...readHeaders(result.headers), ...rateHeaders(rate, trace.cost?.taken) },
    text,
    bytes: trace.isTooLarge ? Number.POSITIVE_INFINITY : Buffer.byteLength(text),
  };
}

/** The response to a request whose caller has used too much, with the bytes that Yoga gives it. */
function toRefusal(
  headers: Executed['headers'],
  { resetMs }: Taken,
  document: string,
  trace: Trace,
): Executed {
  const error = rateLimited(resetMs);
  trace.noteErrors([error]);
  const { http: _http, ...extensions } = error.extensions;
  const text = JSON.stringify({ errors: [{ message: error.message, extensions }] });
  const end = (status: number) => trace.end(status, document);
  return { status: 429, headers, text, bytes: Buffer.byteLength(text), end };
}

/** A request that names a document by its text in place of its id or hash. */
function withText(
  { documentId: _id, persistedHash: _hash, ...params }: RequestParams,
  query: string,
): GraphQLParams {
  return { ...params, query };
}

/**
 * Puts the media type that the client wants most in front of its header `accept`. Yoga knows no
 * weights: of the types for a complete response, it takes the first.
 */
function preferring(request: IncomingMessage): IncomingMessage {
  const { accept = '*/*' } = request.headers;
  request.headers.accept = `${responseTypeFor(accept)},${accept}`;
  return request;
}

const typed = (type: string) => ({ 'content-type': `${type}; charset=utf-8` });

/** How a response is sent, kept and read is up to the server. It is complete, so not in chunks. */
const OF_SERVER = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'cache-control',
  'x-content-type-options',
]);

function readHeaders(headers: Headers): Record<string, string> {
  const all = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(all.filter(([name]) => !OF_SERVER.has(name)));
}

function createAnswering(
  settings: ExecuteSettings,
  rules: DocumentRules,
  plans: Plans,
  rate: RateLimit,
  shared: Shared,
  persisted: PersistedDocuments,
  onBug: (error: unknown) => void,
): Answering {
  const { limits, cache } = settings.documents;
  const { schema } = rules;
  const cached = cacheDocuments((text, scope) => readDocument(text, rules, scope), cache);
  return {
    schema,
    shared,
    resolve: persisted.resolve,
    read: (text, scope) => persisted.find(text) ?? cached(text, scope),
    readDerived: (text, from, scope) =>
      persisted.readDerived(text, from, scope) ?? cached(text, scope),
    measure: createMeasureComplexity(schema),
    maxComplexity: limits.complexity,
    rate,
    execute: createExecuteOperation(schema, plans, rules.introspection),
    maxResponseBytes: settings.http.maxResponseBytes,
    maskError: createMaskError(onBug, shared.noteUnreadable),
  };
}

/**
 * The response to a request that names no document to execute. A client that does not read the
 * media type of GraphQL gets the status 200, as for a document that is not valid.
 */
function toDocumentError(
  request: IncomingMessage,
  { code, message }: DocumentError,
): Omit<Executed, 'end'> {
  const type = toErrorType(request);
  const text = toErrorBody(code, message);
  return {
    status: code === 'BAD_REQUEST' || type === GRAPHQL_RESPONSE ? 400 : 200,
    headers: { 'content-type': `${type}; charset=utf-8` },
    text,
    bytes: Buffer.byteLength(text),
  };
}
