import type { TraceContext } from './traceparent.ts';

/** The samplers of OpenTelemetry, by the names that OTEL_TRACES_SAMPLER has for them. */
export const samplers = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;

/** The name of a sampler. */
export type SamplerName = (typeof samplers)[number];

/** Decides whether the spans of a trace are recorded. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** How many of the last digits of a trace id decide. They are random. */
const DIGITS = 14;

/** Creates a sampler. `ratio` is the share of traces that the samplers of ids record. */
export function createSampler(name: SamplerName, ratio: number): Sampler {
  const bound = Math.round(ratio * 16 ** DIGITS);
  const root = (traceId: string) => {
    if (name.endsWith('always_on')) return true;
    if (name.endsWith('always_off')) return false;
    // The same for every program that sees the trace.
    return Number.parseInt(traceId.slice(-DIGITS), 16) < bound;
  };
  if (!name.startsWith('parentbased_')) return root;
  return (traceId, parent) => parent?.isSampled ?? root(traceId);
}
