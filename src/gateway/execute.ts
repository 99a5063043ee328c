import type { IncomingMessage } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Shared } from './create-context.ts';
import { cacheDocuments } from './document/document-cache.ts';
import { createExecuteOperation } from './document/execute-operation.ts';
import { createMeasureComplexity } from './document/measure-complexity.ts';
import { createPlans, type Plans } from './document/plans.ts';
import { readDocument } from './document/read-document.ts';
import { createMaskError } from './errors.ts';
import { type Answer, createFastPath } from './fast-path.ts';
import { toSubgraph } from './federation/subgraph.ts';
import type { Execute } from './http/executed.ts';
import type { Log } from './log.ts';
import { rateHeaders } from './protect/rate-headers.ts';
import type { RateLimit, Taken } from './protect/rate-limit.ts';
import type { Flights } from './rest/flights.ts';
import { schema } from './schema.ts';
import { createServeExport, type ServeExport } from './serve-export.ts';
import type { GatewaySettings } from './settings.ts';
import { startTrace } from './trace.ts';
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
 * @param flights queries that requests share; undefined if each is executed alone
 */
export function createExecute(
  settings: ExecuteSettings,
  shared: Shared,
  rate: RateLimit,
  log: Log,
  onBug: (error: unknown) => void,
  flights: Flights<Answer | undefined> | undefined,
): Executing {
  const served = settings.federation ? toSubgraph(schema) : schema;
  const plans = createPlans(served, settings.plans);
  const answering = createAnswering(settings, served, plans, rate, shared, onBug);
  const yoga = createServer(answering);
  /** Requests whose points are taken already. */
  const admitted = new WeakSet<IncomingMessage>();
  const { allowance: limits } = shared;
  const traces = { limits, showsNames: settings.log.operationNames, log };
  const startTraceOf = ({ headers }: IncomingMessage) => startTrace(headers, traces);
  const fastPath = createFastPath({
    ...answering,
    startTrace: startTraceOf,
    flights,
    admit: (request, trace, owner, points) => {
      const note = (taken: Taken) => {
        trace.noteCost(points, taken);
        if (taken.isGranted) admitted.add(request);
        return taken.isGranted;
      };
      const taken = answering.rate.take(owner, points);
      return taken instanceof Promise ? taken.then(note) : note(taken);
    },
    finish: (type, { prepared, text, bytes, errors }, trace) => {
      const { document, documentText, operation } = prepared;
      trace.noteOperation(document, operation.name?.value);
      trace.noteExecution();
      trace.noteErrors(errors);
      const headers = { 'content-type': type, ...rateHeaders(answering.rate, trace.cost) };
      const end = (status: number) => trace.end(status, documentText);
      return { status: 200, headers, text, bytes, end };
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
    run: async (request, response, body, params) => {
      const trace = startTraceOf(request);
      const executed = settings.fastPath && (await fastPath.run(request, body, params, trace));
      if (executed) return executed;
      const given = { params, trace, isAdmitted: admitted.has(request) };
      const result = await yoga.handleNodeRequestAndResponse(request, response, given);
      const text = await result.text();
      return {
        status: result.status,
        headers: { ...readHeaders(result.headers), ...rateHeaders(answering.rate, trace.cost) },
        text,
        bytes: Buffer.byteLength(text),
        end: (status) => trace.end(status, params.query ?? ''),
      };
    },
  };
}

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
  served: GraphQLSchema,
  plans: Plans,
  rate: RateLimit,
  shared: Shared,
  onBug: (error: unknown) => void,
): Answering {
  const { documents, production, introspection = !production } = settings;
  const { limits, cache } = documents;
  const rules = { schema: served, limits, introspection };
  return {
    schema: served,
    shared,
    read: cacheDocuments((text, scope) => readDocument(text, rules, scope), cache),
    measure: createMeasureComplexity(served),
    maxComplexity: limits.complexity,
    rate,
    execute: createExecuteOperation(served, plans),
    maskError: createMaskError(onBug),
  };
}
