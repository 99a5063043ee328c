import {
  answers,
  breakers,
  executions,
  joins,
  moneyTransitions,
  type Phase,
  parses,
  type RequestEnd,
  type RestCallEnd,
  rejections,
  requestEnds,
  restCallEnds,
  restCallsNotMade,
  retries,
  storeUses,
  validations,
} from '../channels.ts';
import type { Instrument } from './instrument.ts';
import type { Listener } from './listener.ts';
import * as metrics from './metrics.ts';
import type { Registry } from './registry.ts';
import { remember } from './remember.ts';

/** Counts what the gateway publishes. */
export function recordMetrics(listener: Listener, registry: Registry, showsNames: boolean): void {
  const { on } = listener;
  on(parses, createPhaseRecorder(registry, metrics.parseDuration));
  on(validations, createPhaseRecorder(registry, metrics.validateDuration));
  on(executions.ofAll, createPhaseRecorder(registry, metrics.executeDuration));
  on(requestEnds.ofAll, createRequestRecorder(registry, showsNames));
  on(restCallEnds.ofAll, createCallRecorder(registry));
  on(restCallsNotMade, ({ service, reason }) =>
    registry.add(metrics.restNotMade, 1, service, reason),
  );
  on(retries, ({ service }) => registry.add(metrics.restRetries, 1, service));
  on(breakers, ({ service, state }) => {
    if (state === 'open') registry.add(metrics.breakerOpenings, 1, service);
  });
  on(rejections, ({ code, status }) =>
    registry.add(metrics.rejectedRequests, 1, code, String(status)),
  );
  const answeredOn = remember((path: string) => registry.find(metrics.answeredRequests, path));
  on(answers, ({ path }) => answeredOn(path).add(1));
  on(joins, ({ level }) => registry.add(metrics.sharedWork, 1, level));
  on(storeUses, ({ ms, failed }) =>
    registry.add(metrics.storeDuration, ms / 1_000, failed ? 'STORE_UNAVAILABLE' : undefined),
  );
  on(moneyTransitions, ({ kind, to }) => registry.add(metrics.moneyTransitions, 1, kind, to));
}

/**
 * Nearly all figures belong to the series of usual requests and calls. The recorders remember these,
 * because to find a series by its attributes takes longer than to add to it.
 */
function createPhaseRecorder(registry: Registry, instrument: Instrument): (phase: Phase) => void {
  const ofType = remember((type: Phase['type']) => registry.find(instrument, type));
  return (phase) => ofType(phase.type).add(seconds(phase));
}

function createRequestRecorder(registry: Registry, showsNames: boolean): (end: RequestEnd) => void {
  const { requestDuration, errorCount, responseErrors } = metrics;
  const withoutErrors = remember((type: RequestEnd['type']) =>
    registry.find(requestDuration, type),
  );
  const errorsOf = remember((type: RequestEnd['type']) => registry.find(errorCount, type));
  return (end) => {
    const { type, errors } = end;
    const name = showsNames && end.documentId !== undefined ? end.name : undefined;
    const duration =
      errors === 0 && name === undefined
        ? withoutErrors(type)
        : registry.find(requestDuration, type, errorTypeOf(end), name);
    duration.add(seconds(end));
    errorsOf(type).add(errors);
    for (const code of end.codes) registry.add(responseErrors, 1, code);
  };
}

const PARSE_CODES = new Set(['GRAPHQL_PARSE_FAILED', 'TOKEN_LIMIT']);

/** The class of the errors of a response, as the draft names them; undefined without errors. */
export function errorTypeOf({ errors, wasExecuted, codes }: RequestEnd): string | undefined {
  if (errors === 0) return undefined;
  if (wasExecuted) return '_execution_error';
  for (const code of codes) {
    if (PARSE_CODES.has(code)) return '_parse_error';
    // Its document is valid.
    if (code === 'RATE_LIMITED') return code;
  }
  return '_validation_error';
}

function createCallRecorder(registry: Registry): (ended: RestCallEnd) => void {
  const find = (method: string, origin: string, status: number, failure: string | undefined) => {
    const { address, port } = placeOf(origin);
    const shown = status === 0 ? undefined : String(status);
    const error = errorOfCall(status, failure);
    return registry.find(metrics.restDuration, method, address, port, shown, error);
  };
  const successfulReads = remember((origin: string) => find('GET', origin, 200, undefined));
  return ({ method, origin, start, end, status, failure }) => {
    const isUsual = method === 'GET' && status === 200 && failure === undefined;
    const series = isUsual ? successfulReads(origin) : find(method, origin, status, failure);
    series.add(seconds({ start, end }));
  };
}

/** The status from 400, or the kind of the failure. */
export function errorOfCall(status: number, failure: string | undefined): string | undefined {
  return status >= 400 ? String(status) : failure;
}

/** The host and the port of a service. There are two services, so they are remembered. */
export const placeOf = remember((origin: string) => {
  const { hostname, port, protocol } = new URL(origin);
  return { address: hostname, port: port || (protocol === 'https:' ? '443' : '80') };
});

function seconds({ start, end }: { readonly start: number; readonly end: number }): number {
  return (end - start) / 1_000;
}
