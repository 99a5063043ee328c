import type { Metric } from './registry.ts';
import type { Series } from './series-tree.ts';
import type { AttributeValue, SpanRecord } from './span.ts';

/** The attributes of the process that reports. */
export type Resource = Readonly<Record<string, string>>;

const KINDS = { INTERNAL: 1, SERVER: 2, CLIENT: 3 } as const;
const ERROR = 2;
const CUMULATIVE = 2;
const SCOPE = { name: 'tillgraph' };

/** The request that exports spans, as OTLP has it in JSON. */
export function toTraceRequest(resource: Resource, spans: readonly SpanRecord[]): object {
  // Spans of one request share their attributes.
  const converted = new Map<SpanRecord['attributes'], object[]>();
  const convert = (span: SpanRecord) => {
    const known = converted.get(span.attributes);
    const attributes = known ?? toAttributes(span.attributes);
    if (known === undefined) converted.set(span.attributes, attributes);
    return toSpan(span, attributes);
  };
  const scopeSpans = [{ scope: SCOPE, spans: spans.map(convert) }];
  return { resourceSpans: [{ resource: toResource(resource), scopeSpans }] };
}

/** What is undefined is left out of the JSON. */
function toSpan(span: SpanRecord, attributes: readonly object[]): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentId,
    traceState: span.tracestate,
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: toNanos(span.start),
    endTimeUnixNano: toNanos(span.end),
    attributes,
    status: span.isError ? { code: ERROR } : {},
  };
}

/** The request that exports metrics, as OTLP has it in JSON. Sums count from the start. */
export function toMetricsRequest(resource: Resource, metrics: readonly Metric[]): object {
  const scopeMetrics = [{ scope: SCOPE, metrics: metrics.map(toMetric) }];
  return { resourceMetrics: [{ resource: toResource(resource), scopeMetrics }] };
}

function toMetric({ instrument, series }: Metric): object {
  const { name, unit, description, kind, bounds } = instrument;
  const described = { name, unit, description };
  if (kind === 'histogram') {
    const dataPoints = series.map((each) => toHistogramPoint(each, bounds));
    return { ...described, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = series.map((each) => ({ ...toPoint(each), asDouble: each.value }));
  if (kind === 'gauge') return { ...described, gauge: { dataPoints } };
  const isMonotonic = kind === 'counter';
  return { ...described, sum: { aggregationTemporality: CUMULATIVE, isMonotonic, dataPoints } };
}

function toHistogramPoint(series: Series, bounds: readonly number[]): object {
  return {
    ...toPoint(series),
    count: String(series.buckets.reduce((sum, count) => sum + count, 0)),
    sum: series.value,
    bucketCounts: series.buckets.map(String),
    explicitBounds: bounds,
  };
}

function toPoint({ attributes }: Series) {
  return {
    attributes: toAttributes(attributes),
    startTimeUnixNano: toNanos(0),
    timeUnixNano: toNanos(performance.now()),
  };
}

function toResource(resource: Resource): object {
  return { attributes: toAttributes(resource) };
}

function toAttributes(attributes: Readonly<Record<string, AttributeValue | undefined>>): object[] {
  const list: object[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    const typed = typeof value === 'string' ? { stringValue: value } : { intValue: `${value}` };
    list.push({ key, value: typed });
  }
  return list;
}

/** Nanoseconds since 1970, which are too many for a number of JSON. */
function toNanos(ms: number): string {
  const micros = Math.round((performance.timeOrigin + ms) * 1_000);
  return `${micros}000`;
}
