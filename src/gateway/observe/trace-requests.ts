import {
  coercions,
  executions,
  type Phase,
  parses,
  type RequestEnd,
  type RestCallEnd,
  type RestCallStart,
  requestEnds,
  requestStarts,
  restCallEnds,
  restCallStarts,
  type Scope,
  validations,
} from '../channels.ts';
import { ID, routeOf } from '../rest/path.ts';
import type { Listener } from './listener.ts';
import { errorOfCall, errorTypeOf, placeOf } from './record-metrics.ts';
import type { Sampler } from './sampler.ts';
import type { SpanRecord } from './span.ts';
import type { Recording } from './span-queue.ts';
import {
  copy,
  newSpanId,
  newTraceparent,
  readTraceparent,
  readTracestate,
  spanIdOf,
  type TraceContext,
  toTraceparent,
  traceIdOf,
  withTraceId,
} from './traceparent.ts';

/** What is kept of a call: not the scope of its request. */
type Called = Omit<RestCallEnd, 'scope' | 'spanId'> & { readonly spanId: string };

/** What is kept of a phase: not the scope of its request. */
interface RecordedPhase extends Pick<Phase, 'start' | 'end' | 'failed'> {
  readonly name: string;
}

/** What is kept of the end of a request: not its document, which may be large. */
interface Ended extends Pick<RequestEnd, 'start' | 'end'> {
  readonly name: string | undefined;
  readonly attributes: SpanRecord['attributes'];
  readonly error: string | undefined;
}

/** A request that is recorded: its own span, and what it has done so far. */
interface Recorded extends Omit<TraceContext, 'isSampled'> {
  readonly parentId: string | undefined;
  readonly tracestate: string | undefined;
  readonly phases: RecordedPhase[];
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
    const { scope, type, start, end, failed } = phase;
    const recorded = recordedOf(scope);
    if (recorded === undefined) return;
    recorded.type = type;
    recorded.phases.push({ name, start, end, failed });
  };

  on(requestStarts, ({ scope, headers }) => {
    const own = newTraceparent();
    const parent = readTraceparent(headers.traceparent);
    const traceId = parent?.traceId ?? traceIdOf(own);
    const tracestate = parent && readTracestate(headers.tracestate);
    scope.isRecorded = sample(traceId, parent);
    if (scope.isRecorded) {
      scope.trace = record(traceId, spanIdOf(own), parent, tracestate);
      scope.callHeaders = tracestate === undefined ? [] : ['tracestate', tracestate];
    } else {
      scope.trace = { traceId };
      // Calls without spans of their own are part of the span of the request.
      scope.callHeaders = ['traceparent', parent === undefined ? own : withTraceId(own, traceId)];
      if (tracestate !== undefined) scope.callHeaders.push('tracestate', tracestate);
    }
  });
  on(parses, keepPhase('GraphQL Document Parsing'));
  on(validations, keepPhase('GraphQL Document Validation'));
  on(coercions, keepPhase('GraphQL Variable Coercion'));
  on(executions.ofRecorded, keepPhase(EXECUTION));
  on(restCallStarts, beginCall);
  on(restCallEnds.ofRecorded, ({ scope, spanId, ...call }) => {
    const recorded = recordedOf(scope);
    if (recorded === undefined || spanId === undefined || recorded.calls.length >= MAX_CALLS)
      return;
    recorded.calls.push({ spanId, ...call });
  });
  on(requestEnds.ofRecorded, (end) => {
    const recorded = recordedOf(end.scope);
    if (recorded === undefined) return;
    const spanCount = 1 + recorded.phases.length + recorded.calls.length;
    const ended = endedOf(end, end.type ?? recorded.type);
    emit({ spanCount, toSpans: () => spansOf(recorded, ended) });
  });
}

function recordedOf({ isRecorded, trace }: Scope): Recorded | undefined {
  // Only this file sets it.
  return isRecorded ? (trace as Recorded) : undefined;
}

/** Gives a call a span of its own, and tells the service. */
function beginCall(call: RestCallStart): void {
  const recorded = recordedOf(call.scope);
  if (recorded === undefined) return;
  const spanId = newSpanId();
  call.spanId = spanId;
  call.headers.push('traceparent', toTraceparent(recorded.traceId, spanId));
}

/** The ids are copied, because they wait for their export. */
function record(
  traceId: string,
  spanId: string,
  parent: TraceContext | undefined,
  tracestate: string | undefined,
): Recorded {
  return {
    traceId: copy(traceId),
    spanId: copy(spanId),
    parentId: parent && copy(parent.spanId),
    tracestate,
    phases: [],
    calls: [],
    type: undefined,
  };
}

/** The span of a request, those of its phases, and those of its calls. */
function spansOf(recorded: Recorded, ended: Ended): SpanRecord[] {
  const { traceId, spanId, tracestate, calls } = recorded;
  const { attributes: operation, error } = ended;
  const request: SpanRecord = {
    traceId,
    spanId,
    parentId: recorded.parentId,
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
  for (const phase of recorded.phases) {
    const span = phaseSpan(recorded, phase, operation);
    if (phase.name === EXECUTION) callParent = span.spanId;
    spans.push(span);
  }
  for (const call of calls) spans.push(callSpan(recorded, callParent, call));
  return spans;
}

const EXECUTION = 'GraphQL Operation Execution';

function phaseSpan(
  { traceId, spanId: parentId, tracestate }: Recorded,
  { name, start, end, failed: isError }: RecordedPhase,
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
function operationOf({ name, documentId, documentHash }: RequestEnd, type: string | undefined) {
  return {
    'graphql.operation.type': type,
    // A client can write anything into the name of a document of its own.
    'graphql.operation.name': documentId === undefined ? undefined : name,
    'graphql.document.id': documentId,
    'graphql.document.hash': `sha256:${documentHash()}`,
  };
}

function callSpan({ traceId, tracestate }: Recorded, parentId: string, call: Called): SpanRecord {
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
      'url.full': shownUrl(call),
      'http.response.status_code': status === 0 ? undefined : status,
      'http.request.resend_count': call.retries === 0 ? undefined : call.retries,
      'error.type': error,
    },
    isError: error !== undefined,
  };
}

/**
 * The URL of a call without ids and without the values of its query, because a client can have
 * written them. What no template of the code contains is not shown.
 */
function shownUrl({ origin, base, path }: Called): string {
  const route = routeOf(path)?.replaceAll(ID, 'REDACTED') ?? '/REDACTED';
  const query = /\?.*/s.exec(path)?.[0] ?? '';
  return origin + base + route + query.replace(/=[^&]*/g, '=REDACTED');
}
