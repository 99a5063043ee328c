import type { IncomingMessage } from 'node:http';
import type { Shared } from './create-context.ts';
import { cacheDocuments } from './document/document-cache.ts';
import { createExecuteOperation } from './document/execute-operation.ts';
import { createMeasureComplexity } from './document/measure-complexity.ts';
import { createPlans } from './document/plans.ts';
import { readDocument } from './document/read-document.ts';
import { createMaskError } from './errors.ts';
import { type Answer, createFastPath } from './fast-path.ts';
import { toSubgraph } from './federation/subgraph.ts';
import type { Execute } from './http/executed.ts';
import type { Log } from './log.ts';
import { createRateLimit } from './protect/rate-limit.ts';
import type { Flights } from './rest/flights.ts';
import { schema } from './schema.ts';
import { createServeExport, type ServeExport } from './serve-export.ts';
import type { GatewaySettings } from './settings.ts';
import { startTrace, type Trace } from './trace.ts';
import { type Answering, createServer } from './yoga.ts';

/** What requests are executed with. */
type ExecuteSettings = Pick<
  GatewaySettings,
  | 'federation'
  | 'documents'
  | 'introspection'
  | 'production'
  | 'log'
  | 'rate'
  | 'plans'
  | 'fastPath'
  | 'http'
  | 'pageMax'
  | 'exports'
>;

/** What answers the requests that were accepted. */
export interface Executing extends Execute {
  readonly serveExport: ServeExport;
}

/**
 * Creates what executes GraphQL requests: the fast path, and Yoga for all that it leaves.
 *
 * @param flights queries that requests share; undefined if each is executed alone
 */
export function createExecute(
  settings: ExecuteSettings,
  shared: Shared,
  log: Log,
  onBug: (error: unknown) => void,
  flights: Flights<Answer | undefined> | undefined,
): Executing {
  const answering = createAnswering(settings, shared, onBug);
  const yoga = createServer(answering);
  /** Requests whose points are taken already. */
  const admitted = new WeakSet<IncomingMessage>();
  const startTraceOf = ({ headers }: IncomingMessage) =>
    startTrace(headers['x-request-id'], shared.allowance, settings.log.operationNames);
  const logLine = (trace: Trace, text: string) => (status: number) => {
    if (log.hasRequests) log.request(trace.toLine(status, text));
  };
  const fastPath = createFastPath({
    ...answering,
    startTrace: startTraceOf,
    flights,
    admit: (request, owner, points) => {
      if (answering.rate.take(owner, points) !== undefined) return false;
      admitted.add(request);
      return true;
    },
    finish: (type, { prepared, text, bytes, errors }, trace) => {
      const { document, documentText, operation } = prepared;
      trace.noteOperation(document, operation.name?.value);
      trace.noteErrors(errors);
      const headers = { 'content-type': type };
      return { status: 200, headers, text, bytes, log: logLine(trace, documentText) };
    },
  });

  const serveExport = createServeExport(answering, {
    ...settings.exports,
    maxJsonDepth: settings.http.maxJsonDepth,
    pageMax: settings.pageMax,
    startTrace: startTraceOf,
    logPage: (trace, text) => logLine(trace, text)(200),
  });

  return {
    serveExport,
    join: (request, body) => (settings.fastPath ? fastPath.join(request, body) : undefined),
    run: async (request, response, body, params) => {
      const executed = settings.fastPath && (await fastPath.run(request, body, params));
      if (executed) return executed;
      const trace = startTraceOf(request);
      const given = { params, trace, isAdmitted: admitted.has(request) };
      const result = await yoga.handleNodeRequestAndResponse(request, response, given);
      const text = await result.text();
      return {
        status: result.status,
        headers: readHeaders(result.headers),
        text,
        bytes: Buffer.byteLength(text),
        log: logLine(trace, params.query ?? ''),
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
  shared: Shared,
  onBug: (error: unknown) => void,
): Answering {
  const { federation, documents, production, introspection = !production } = settings;
  const { limits, cache } = documents;
  const served = federation ? toSubgraph(schema) : schema;
  const rules = { schema: served, limits, introspection };
  return {
    schema: served,
    shared,
    read: cacheDocuments((text) => readDocument(text, rules), cache),
    measure: createMeasureComplexity(served),
    maxComplexity: limits.complexity,
    rate: createRateLimit(settings.rate.pointsPerMinute, () => performance.now()),
    execute: createExecuteOperation(served, createPlans(served, settings.plans)),
    maskError: createMaskError(onBug),
  };
}
