import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  coercions,
  executions,
  type Phase,
  parses,
  type RequestEnd,
  type RestCall,
  type RestCallEnd,
  requestEnds,
  requestStarts,
  restCallEnds,
  restCallStarts,
  type Scope,
  validations,
} from '../channels.ts';
import type { Listener } from './listener.ts';
import { errorOfCall, errorTypeOf, placeOf } from './record-metrics.ts';
import type { Sampler } from './sampler.ts';
import type { SpanRecord } from './span.ts';
import type { Recording } from './span-queue.ts';
import {
  newSpanId,
  newTraceparent,
  readTraceparent,
  readTracestate,
  type TraceContext,
  toTraceparent,
} from './traceparent.ts';

/** What is kept of a call: not its headers, which contain the caller's key. */
type Called = Pick<RestCall, 'origin' | 'method' | 'path' | 'retries' | 'start'> &
  Pick<RestCallEnd, 'end' | 'status' | 'failure'> & { readonly spanId: string };

/** What is kept of the end of a request: not its document, which may be large. */
interface Ended extends Pick<RequestEnd, 'start' | 'end'> {
  readonly name: string | undefined;
  readonly attributes: SpanRecord['attributes'];
  readonly error: string | undefined;
}

/** A request that is traced: its own span, and what it has done so far. */
interface Traced extends TraceContext {
  /** The header of its calls if they have no spans, and if it was made before. */
  readonly header: string | undefined;
  readonly parent: TraceContext | undefined;
  readonly tracestate: string | undefined;
  /** Empty if not sampled, as are the calls. */
  readonly phases: { readonly name: string; readonly phase: Phase }[];
  readonly calls: Called[];
  /** The type of its operation, if its document could be parsed. */
  type: string | undefined;
}

/** More calls than this are not shown one by one. */
const MAX_CALLS = 200;

/**
 * Records what the gateway publishes about sampled requests: a span for each of them, one for each
 * of its phases, and one for each of its calls. Passes the trace on to the services.
 *
 * @param emit called with what was recorded of a request when it has ended
 */
export function traceRequests(
  { on }: Listener,
  sample: Sampler,
  emit: (recording: Recording) => void,
): void {
  const keepPhase = (name: string) => (phase: Phase) => {
    const traced = sampledOf(phase.scope);
    if (traced === undefined) return;
    traced.type = phase.type;
    traced.phases.push({ name, phase });
  };

  on(requestStarts, ({ scope, headers }) => {
    const traced = begin(headers, sample);
    scope.trace = traced;
    scope.isRecorded = traced.isSampled;
    scope.callHeaders = headersOf(traced);
  });
  on(parses, keepPhase('GraphQL Document Parsing'));
  on(validations, keepPhase('GraphQL Document Validation'));
  on(coercions, keepPhase('GraphQL Variable Coercion'));
  on(executions.ofRecorded, keepPhase(EXECUTION));
  on(restCallStarts, beginCall);
  on(restCallEnds.ofRecorded, (end) => {
    const traced = sampledOf(end.call.scope);
    const { spanId, origin, method, path, retries, start } = end.call;
    if (traced === undefined || spanId === undefined || traced.calls.length >= MAX_CALLS) return;
    const { end: ended, status, failure } = end;
    const asked = { origin, method, path, retries, start };
    traced.calls.push({ spanId, ...asked, end: ended, status, failure });
  });
  on(requestEnds.ofRecorded, (end) => {
    const traced = sampledOf(end.scope);
    if (traced === undefined) return;
    const spanCount = 1 + traced.phases.length + traced.calls.length;
    const ended = endedOf(end, end.type ?? traced.type);
    emit({ spanCount, toSpans: () => spansOf(traced, ended) });
  });
}

function sampledOf({ isRecorded, trace }: Scope): Traced | undefined {
  // Only this file sets it.
  return isRecorded ? (trace as Traced) : undefined;
}

/** The headers of all calls of a request. Without spans of their own, they are part of its span. */
function headersOf(traced: Traced): string[] {
  const headers = traced.isSampled ? [] : ['traceparent', traced.header ?? toTraceparent(traced)];
  if (traced.tracestate !== undefined) headers.push('tracestate', traced.tracestate);
  return headers;
}

/** Gives a call a span of its own, and tells the service. */
function beginCall(call: RestCall): void {
  const traced = sampledOf(call.scope);
  if (traced === undefined) return;
  call.spanId = newSpanId();
  const { traceId, isSampled } = traced;
  call.headers.push('traceparent', toTraceparent({ traceId, spanId: call.spanId, isSampled }));
}

/** What is kept of a request that is not sampled. */
const NOTHING: never[] = [];

function begin(headers: IncomingHttpHeaders, sample: Sampler): Traced {
  const own = newTraceparent();
  const parent = readTraceparent(headers.traceparent);
  const traceId = parent?.traceId ?? own.slice(3, 35);
  const isSampled = sample(traceId, parent);
  return {
    traceId,
    spanId: own.slice(36, 52),
    isSampled,
    header: parent === undefined && !isSampled ? own : undefined,
    parent,
    tracestate: parent && readTracestate(headers.tracestate),
    phases: isSampled ? [] : NOTHING,
    calls: isSampled ? [] : NOTHING,
    type: undefined,
  };
}

/** The span of a request, those of its phases, and those of its calls. */
function spansOf(traced: Traced, ended: Ended): SpanRecord[] {
  const { traceId, spanId, tracestate, calls } = traced;
  const { attributes: operation, error } = ended;
  const request: SpanRecord = {
    traceId,
    spanId,
    parentId: traced.parent?.spanId,
    tracestate,
    name: ended.name ?? 'GraphQL Operation',
    kind: 'SERVER',
    start: ended.start,
    end: ended.end,
    attributes: error === undefined ? operation : { ...operation, 'error.type': error },
    isError: error !== undefined,
  };
  const spans = [request];
  // What is called while the operation is executed belongs to that.
  let callParent = spanId;
  for (const { name, phase } of traced.phases) {
    const span = phaseSpan(traced, name, phase, operation);
    if (name === EXECUTION) callParent = span.spanId;
    spans.push(span);
  }
  for (const call of calls) spans.push(callSpan(traced, callParent, call));
  return spans;
}

const EXECUTION = 'GraphQL Operation Execution';

function phaseSpan(
  { traceId, spanId: parentId, tracestate }: Traced,
  name: string,
  { start, end, failed: isError }: Phase,
  attributes: SpanRecord['attributes'],
): SpanRecord {
  const kind = 'INTERNAL';
  const spanId = newSpanId();
  return { traceId, spanId, parentId, tracestate, name, kind, start, end, attributes, isError };
}

function endedOf(end: RequestEnd, name: string | undefined): Ended {
  const attributes = operationOf(end, name);
  return { start: end.start, end: end.end, name, attributes, error: errorTypeOf(end) };
}

/** The attributes that all spans of an operation have. */
function operationOf({ name, documentId, document }: RequestEnd, type: string | undefined) {
  return {
    'graphql.operation.type': type,
    // A client can write anything into the name of a document of its own.
    'graphql.operation.name': documentId === undefined ? undefined : name,
    'graphql.document.id': documentId,
    'graphql.document.hash': `sha256:${hash('sha256', document)}`,
  };
}

function callSpan({ traceId, tracestate }: Traced, parentId: string, call: Called): SpanRecord {
  const { spanId, start, end, status, failure } = call;
  const { address, port } = placeOf(call.origin);
  const error = errorOfCall(status, failure);
  return {
    traceId,
    spanId,
    parentId,
    tracestate,
    name: call.method,
    kind: 'CLIENT',
    start,
    end,
    attributes: {
      'http.request.method': call.method,
      'server.address': address,
      'server.port': Number(port),
      'url.full': withoutValues(call.origin + call.path),
      'http.response.status_code': status === 0 ? undefined : status,
      'http.request.resend_count': call.retries === 0 ? undefined : call.retries,
      'error.type': error,
    },
    isError: error !== undefined,
  };
}

const NOUNS = 'users|merchants|transactions|lines|apps|cards|disputes|frauds|identities';
const IDS = new RegExp(`/(${NOUNS})/[^/?]+`, 'g');

/** A URL without ids and without the values of its query, because a client can have written them. */
function withoutValues(url: string): string {
  return url.replace(IDS, '/$1/REDACTED').replace(/=[^&]*/g, '=REDACTED');
}
