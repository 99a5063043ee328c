import type { Metric } from './registry.ts';
import type { Series } from './series.ts';
import type { AttributeValue, SpanRecord } from './span.ts';

/** The attributes of the process that reports. */
export type Resource = Readonly<Record<string, string>>;

const KINDS = { INTERNAL: 1, SERVER: 2, CLIENT: 3 } as const;
const ERROR = 2;
const CUMULATIVE = 2;
const SCOPE = { name: 'tillgraph' };
/** When `performance.now()` was 0. */
const ORIGIN_MS = performance.timeOrigin;

/** The request that exports spans, as OTLP has it in JSON. */
export function toTraceRequest(resource: Resource, spans: readonly SpanRecord[]): string {
  // Spans of one request share their attributes.
  const written = new Map<SpanRecord['attributes'], string>();
  const texts = spans.map((span) => {
    const attributes = written.get(span.attributes) ?? writeAttributes(span.attributes);
    written.set(span.attributes, attributes);
    return writeSpan(span, attributes);
  });
  const scopeSpans = `[{"scope":${JSON.stringify(SCOPE)},"spans":[${texts.join()}]}]`;
  const resourceText = JSON.stringify(toResource(resource));
  return `{"resourceSpans":[{"resource":${resourceText},"scopeSpans":${scopeSpans}}]}`;
}

/** The text of a span, without objects for its attributes. */
function writeSpan(span: SpanRecord, attributes: string): string {
  const { traceId, spanId, parentId, tracestate, name, kind, start, end, isError } = span;
  const parent = parentId === undefined ? '' : `"parentSpanId":"${parentId}",`;
  const state = tracestate === undefined ? '' : `"traceState":${JSON.stringify(tracestate)},`;
  const times = `"startTimeUnixNano":"${toNanos(start)}","endTimeUnixNano":"${toNanos(end)}"`;
  const what = `"name":${JSON.stringify(name)},"kind":${KINDS[kind]},${times}`;
  const status = isError ? `{"code":${ERROR}}` : '{}';
  return `{"traceId":"${traceId}","spanId":"${spanId}",${parent}${state}${what},"attributes":[${attributes}],"status":${status}}`;
}

/** What is undefined is left out. */
function writeAttributes(attributes: SpanRecord['attributes']): string {
  let written = '';
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    const isText = typeof value === 'string';
    const typed = isText ? `"stringValue":${JSON.stringify(value)}` : `"intValue":"${value}"`;
    written += `${written === '' ? '' : ','}{"key":"${key}","value":{${typed}}}`;
  }
  return written;
}

/** The request that exports metrics, as OTLP has it in JSON. Sums count from the start. */
export function toMetricsRequest(resource: Resource, metrics: readonly Metric[]): string {
  const scopeMetrics = [{ scope: SCOPE, metrics: metrics.map(toMetric) }];
  return JSON.stringify({ resourceMetrics: [{ resource: toResource(resource), scopeMetrics }] });
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
  const micros = Math.round((ORIGIN_MS + ms) * 1_000);
  return `${micros}000`;
}
