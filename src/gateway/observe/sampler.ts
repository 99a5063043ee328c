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
  const root = createRootSampler(name, ratio);
  if (!name.startsWith('parentbased_')) return root;
  return (traceId, parent) => parent?.isSampled ?? root(traceId);
}

/** Decides without a parent: the same for every program that sees the trace. */
function createRootSampler(name: SamplerName, ratio: number): (traceId: string) => boolean {
  if (name.endsWith('always_on') || (name.endsWith('traceidratio') && ratio >= 1))
    return () => true;
  if (name.endsWith('always_off')) return () => false;
  const bound = Math.round(ratio * 16 ** DIGITS)
    .toString(16)
    .padStart(DIGITS, '0');
  return (traceId) => isBelow(traceId, bound);
}

/** Whether the last digits of an id are less than a bound. V8 compares parts of a text slowly. */
function isBelow(traceId: string, bound: string): boolean {
  const start = traceId.length - DIGITS;
  for (let index = 0; index < DIGITS; index++) {
    const difference = traceId.charCodeAt(start + index) - bound.charCodeAt(index);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
