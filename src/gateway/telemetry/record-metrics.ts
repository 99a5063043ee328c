import type { Attributes, Histogram } from '@opentelemetry/api';
import {
  breakers,
  executions,
  joins,
  moneyTransitions,
  type Phase,
  parses,
  type RequestEnd,
  rejections,
  requestEnds,
  responses,
  restCallEnds,
  restCallsNotMade,
  retries,
  storeUses,
  validations,
  webhookAttempts,
} from '../channels.ts';
import type { Listener } from './listener.ts';
import type { Metrics } from './metrics.ts';

/** Records the events that the gateway publishes as metrics. */
export function recordMetrics({ on }: Listener, metrics: Metrics, showsNames: boolean): void {
  const recordPhase = (histogram: Histogram) => (phase: Phase) =>
    histogram.record(seconds(phase), typed(phase.type));
  on(parses, recordPhase(metrics.parseDuration));
  on(validations, recordPhase(metrics.validateDuration));
  on(executions.ofAll, recordPhase(metrics.executeDuration));
  on(requestEnds.ofAll, (end) => {
    const { type, documentId, errors } = end;
    const name = showsNames && documentId !== undefined ? end.name : undefined;
    metrics.requestDuration.record(seconds(end), requestAttributes(type, errorTypeOf(end), name));
    metrics.errorCount.record(errors, typed(type));
    for (const code of end.codes) metrics.responseErrors.add(1, { 'error.type': code });
  });
  on(restCallEnds.ofAll, (call) => {
    const { method, origin, status, failure } = call;
    metrics.restDuration.record(seconds(call), callAttributes(method, origin, status, failure));
  });
  on(restCallsNotMade, ({ service, reason }) =>
    metrics.restNotMade.add(1, { 'tillgraph.service': service, 'error.type': reason }),
  );
  on(retries, ({ service }) => metrics.restRetries.add(1, { 'tillgraph.service': service }));
  on(breakers, ({ service, state }) => {
    if (state === 'open') metrics.breakerOpenings.add(1, { 'tillgraph.service': service });
  });
  on(rejections, ({ code, status }) => metrics.rejectedRequests.add(1, rejected(code, status)));
  // Alerts use this series. It starts at 0, because Prometheus does not count the first value of a
  // series as an increase.
  metrics.rejectedRequests.add(0, rejected('OVERLOADED', 503));
  on(responses, ({ path }) => metrics.answeredRequests.add(1, { 'tillgraph.path': path }));
  on(joins, ({ level }) => metrics.sharedWork.add(1, { 'tillgraph.level': level }));
  on(storeUses, ({ ms, failed }) =>
    metrics.storeDuration.record(ms / 1_000, failed ? { 'error.type': 'STORE_UNAVAILABLE' } : {}),
  );
  on(webhookAttempts, ({ result }) =>
    metrics.webhookAttempts.add(1, { 'tillgraph.result': result }),
  );
  on(moneyTransitions, ({ kind, to }) =>
    metrics.moneyTransitions.add(1, { 'tillgraph.money.kind': kind, 'tillgraph.money.state': to }),
  );
}

const typed = remember((type: string | undefined) => present({ 'graphql.operation.type': type }));

const requestAttributes = remember(
  (type: string | undefined, error: string | undefined, name: string | undefined) =>
    present({
      'graphql.operation.type': type,
      'error.type': error,
      'graphql.operation.name': name,
    }),
);

const callAttributes = remember(
  (method: string, origin: string, status: number, failure: string | undefined) => {
    const { address, port } = placeOf(origin);
    return present({
      'http.request.method': method,
      'server.address': address,
      'server.port': port,
      'http.response.status_code': status === 0 ? undefined : String(status),
      'error.type': errorOfCall(status, failure),
    });
  },
);

function rejected(code: string, status: number): Attributes {
  return { 'error.type': code, 'http.response.status_code': String(status) };
}

const PARSE_CODES = new Set(['GRAPHQL_PARSE_FAILED', 'TOKEN_LIMIT']);

/** The class of a response's errors, as in the draft conventions; undefined without errors. */
export function errorTypeOf({ errors, wasExecuted, codes }: RequestEnd): string | undefined {
  if (errors === 0) return undefined;
  if (wasExecuted) return '_execution_error';
  for (const code of codes) {
    if (PARSE_CODES.has(code)) return '_parse_error';
    // The document is valid.
    if (code === 'RATE_LIMITED') return code;
  }
  return '_validation_error';
}

/** The status if it is 400 or more, otherwise the kind of the failure. */
export function errorOfCall(status: number, failure: string | undefined): string | undefined {
  return status >= 400 ? String(status) : failure;
}

/** The host and the port of a service. */
export const placeOf = remember((origin: string) => {
  const { hostname, port, protocol } = new URL(origin);
  return { address: hostname, port: port || (protocol === 'https:' ? '443' : '80') };
});

/** Removes undefined attributes, which exporters would show as empty. */
function present(attributes: Readonly<Record<string, string | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** Keeps each value that it makes. It never drops one, so there must be few different arguments. */
function remember<Args extends readonly (string | number | undefined)[], Value extends object>(
  make: (...args: Args) => Value,
): (...args: Args) => Value {
  const known = new Map<string, Value>();
  return (...args) => {
    const key = args.join(' ');
    const value = known.get(key) ?? make(...args);
    known.set(key, value);
    return value;
  };
}

function seconds({ start, end }: { readonly start: number; readonly end: number }): number {
  return (end - start) / 1_000;
}
