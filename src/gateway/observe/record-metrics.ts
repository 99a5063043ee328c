import {
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

/** Counts what the gateway publishes. */
export function recordMetrics(listener: Listener, registry: Registry, showsNames: boolean): void {
  const { on } = listener;
  const recordPhase = (instrument: Instrument) => (phase: Phase) =>
    registry.add(instrument, seconds(phase), phase.type);
  on(parses, recordPhase(metrics.parseDuration));
  on(validations, recordPhase(metrics.validateDuration));
  on(executions.ofAll, recordPhase(metrics.executeDuration));
  on(requestEnds.ofAll, (end) => recordRequest(registry, end, showsNames));
  on(restCallEnds.ofAll, (end) => recordCall(registry, end));
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
  on(joins, ({ level }) => registry.add(metrics.sharedWork, 1, level));
  on(storeUses, ({ ms, failed }) =>
    registry.add(metrics.storeDuration, ms / 1_000, failed ? 'STORE_UNAVAILABLE' : undefined),
  );
  on(moneyTransitions, ({ kind, to }) => registry.add(metrics.moneyTransitions, 1, kind, to));
}

function recordRequest(registry: Registry, end: RequestEnd, showsNames: boolean): void {
  const isKnown = showsNames && end.documentId !== undefined;
  registry.add(
    metrics.requestDuration,
    seconds(end),
    end.type,
    errorTypeOf(end),
    isKnown ? end.name : undefined,
  );
  registry.add(metrics.errorCount, end.errors, end.type);
  for (const code of end.codes) registry.add(metrics.responseErrors, 1, code);
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

function recordCall(registry: Registry, { call, end, status, failure }: RestCallEnd): void {
  const { address, port } = placeOf(call.origin);
  registry.add(
    metrics.restDuration,
    seconds({ start: call.start, end }),
    call.method,
    address,
    port,
    status === 0 ? undefined : String(status),
    errorOfCall(status, failure),
  );
}

/** The status from 400, or the kind of the failure. */
export function errorOfCall(status: number, failure: string | undefined): string | undefined {
  return status >= 400 ? String(status) : failure;
}

const places = new Map<string, { readonly address: string; readonly port: string }>();

/** The host and the port of a service. There are two services, so they are remembered. */
export function placeOf(origin: string): { readonly address: string; readonly port: string } {
  const known = places.get(origin);
  if (known !== undefined) return known;
  const { hostname, port, protocol } = new URL(origin);
  const place = { address: hostname, port: port || (protocol === 'https:' ? '443' : '80') };
  places.set(origin, place);
  return place;
}

function seconds({ start, end }: { readonly start: number; readonly end: number }): number {
  return (end - start) / 1_000;
}
