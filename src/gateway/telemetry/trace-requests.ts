import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  coercions,
  executions,
  type Phase,
  parses,
  type RequestEnd,
  type RestCallEnd,
  requestEnds,
  requestStarts,
  restCallEnds,
  restCallStarts,
  type Scope,
  validations,
} from '../channels.ts';
import { ID, routeOf } from '../upstream/path.ts';
import type { Listener } from './listener.ts';
import { errorOfCall, errorTypeOf, placeOf } from './record-metrics.ts';

/** A request that is recorded. */
interface Recorded {
  readonly traceId: string;
  readonly span: Span;
  readonly context: Context;
  /** Phases that have ended. Their attributes are known only when the request ends. */
  readonly phases: (Pick<Phase, 'end' | 'failed'> & { readonly span: Span })[];
  /** By the ids of their spans. */
  readonly calls: Map<string, Span>;
  /** The parent of the spans of calls. Undefined before the execution begins. */
  execution: Span | undefined;
  /** The type of its operation, if its document could be parsed. */
  type: string | undefined;
}

type Begin = (name: string, start: number, context: Context, kind?: SpanKind) => Span;

/** Calls beyond this number have no spans of their own. */
const MAX_CALLS = 200;
const REQUEST = 'GraphQL Operation';

const propagator = new W3CTraceContextPropagator();
/** Writes headers in the format of the gateway: alternating names and values. */
const setter = {
  set: (headers: string[], name: string, value: string) => {
    headers.push(name, value);
  },
};

/**
 * Records sampled requests: a span for each request, for each of its phases, and for each of its
 * calls. Propagates the trace to the services.
 */
export function traceRequests({ on }: Pick<Listener, 'on'>, tracer: Tracer): void {
  const begin: Begin = (name, start, context, kind = SpanKind.INTERNAL) =>
    tracer.startSpan(name, { kind, startTime: timeOf(start) }, context);
  traceCalls({ on }, begin);

  const keepPhase =
    (name: string) =>
    ({ scope, type, start, end, failed }: Phase) => {
      const recorded = recordedOf(scope);
      if (recorded === undefined) return;
      recorded.type = type;
      recorded.phases.push({ span: begin(name, start, recorded.context), end, failed });
    };

  on(requestStarts, ({ scope, headers }) => {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = begin(REQUEST, performance.now(), parent, SpanKind.SERVER);
    const { traceId } = span.spanContext();
    const context = trace.setSpan(parent, span);
    scope.isRecorded = span.isRecording();
    if (scope.isRecorded) {
      const [phases, calls] = [[], new Map()];
      const recorded: Recorded = {
        ...{ traceId, span, context, phases, calls, execution: undefined, type: undefined },
      };
      scope.trace = recorded;
    } else {
      scope.trace = { traceId };
      // The calls have no spans of their own, so their parent is the span of the request.
      propagator.inject(context, scope.callHeaders, setter);
    }
  });
  on(parses, keepPhase('GraphQL Document Parsing'));
  on(validations, keepPhase('GraphQL Document Validation'));
  on(coercions, (phase) => {
    keepPhase('GraphQL Variable Coercion')(phase);
    const recorded = recordedOf(phase.scope);
    // The execution comes next. Its span must exist before its calls.
    if (recorded !== undefined && !phase.failed) {
      recorded.execution = begin('GraphQL Operation Execution', phase.end, recorded.context);
    }
  });
  on(executions.ofRecorded, ({ scope, end, failed }) => {
    const { phases, execution } = recordedOf(scope) ?? {};
    if (execution !== undefined) phases?.push({ span: execution, end, failed });
  });
  on(requestEnds.ofRecorded, (end) => {
    const recorded = recordedOf(end.scope);
    if (recorded === undefined) return;
    const type = end.type ?? recorded.type;
    const attributes = operationAttributes(end, type);
    for (const phase of recorded.phases) {
      endSpan(phase.span.setAttributes(attributes), phase.end, phase.failed);
    }
    const error = errorTypeOf(end);
    recorded.span.updateName(type ?? REQUEST).setAttributes({ ...attributes, 'error.type': error });
    endSpan(recorded.span, end.end, error !== undefined);
  });
}

function traceCalls({ on }: Pick<Listener, 'on'>, begin: Begin): void {
  on(restCallStarts, (call) => {
    const recorded = recordedOf(call.scope);
    if (recorded === undefined) return;
    const { context, calls } = recorded;
    let span = recorded.execution ?? recorded.span;
    if (calls.size < MAX_CALLS) {
      span = begin('HTTP', performance.now(), trace.setSpan(context, span), SpanKind.CLIENT);
      call.spanId = span.spanContext().spanId;
      calls.set(call.spanId, span);
    }
    propagator.inject(trace.setSpan(context, span), call.headers, setter);
  });
  on(restCallEnds.ofRecorded, (call) => {
    const span = recordedOf(call.scope)?.calls.get(call.spanId ?? '');
    if (span === undefined) return;
    const error = errorOfCall(call.status, call.failure);
    span.updateName(call.method).setAttributes(callAttributes(call, error));
    endSpan(span, call.end, error !== undefined);
  });
}

function recordedOf({ isRecorded, trace: kept }: Scope): Recorded | undefined {
  // Only this file sets it.
  return isRecorded ? (kept as Recorded) : undefined;
}

function endSpan(span: Span, end: number, isError: boolean): void {
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(timeOf(end));
}

/** Times in messages of the channels are relative to the start of the process. */
function timeOf(now: number): number {
  return performance.timeOrigin + now;
}

/** The attributes that all spans of an operation have. */
function operationAttributes(
  { name, documentId, documentHash }: RequestEnd,
  type: string | undefined,
): Attributes {
  return {
    'graphql.operation.type': type,
    // If the document is not persisted, the client can choose any name.
    'graphql.operation.name': documentId === undefined ? undefined : name,
    'graphql.document.id': documentId,
    'graphql.document.hash': `sha256:${documentHash()}`,
  };
}

function callAttributes(call: RestCallEnd, error: string | undefined): Attributes {
  const { address, port } = placeOf(call.origin);
  return {
    'http.request.method': call.method,
    'server.address': address,
    'server.port': Number(port),
    'url.full': shownUrl(call),
    'http.response.status_code': call.status === 0 ? undefined : call.status,
    'http.request.resend_count': call.retries === 0 ? undefined : call.retries,
    'error.type': error,
  };
}

/**
 * The URL of a call without ids and query values, because they can come from a client. A path that
 * matches no template in the code is not shown.
 */
function shownUrl({ origin, base, path }: RestCallEnd): string {
  const route = routeOf(path)?.replaceAll(ID, 'REDACTED') ?? '/REDACTED';
  const query = /\?.*/s.exec(path)?.[0] ?? '';
  return origin + base + route + query.replace(/=[^&]*/g, '=REDACTED');
}
