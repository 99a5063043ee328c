import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An attribute value as it arrived: a text or a number. */
export type Attributes = Readonly<Record<string, string | number>>;

/** A span as the collector got it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: string;
  /** Nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/** A metric as the collector got it. */
export interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: string;
  readonly points: readonly { readonly attributes: Attributes; readonly count: number }[];
}

/** Settings with which the program sends what this collector reads. */
export const toCollector = ({ url }: Collector) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

/** An OpenTelemetry collector of OTLP over HTTP. It reads what is sent as JSON. */
export interface Collector {
  readonly url: string;
  /** All spans so far. */
  spans(): CollectedSpan[];
  /** How many spans each export had. */
  batches(): number[];
  /** The metrics of the latest export. */
  metrics(): CollectedMetric[];
  /** The attributes of the process that reported last. */
  resource(): Attributes;
  /** Everything that arrived, as text. */
  text(): string;
  readonly headers: IncomingHttpHeaders[];
  /** Answers with these statuses first. */
  fail(...statuses: number[]): void;
}

/** An attribute in OTLP. */
interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface OtlpSpan
  extends Omit<CollectedSpan, 'kind' | 'attributes' | 'start' | 'end' | 'isError'> {
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
}

interface OtlpData {
  readonly dataPoints: readonly {
    readonly attributes: readonly OtlpAttribute[];
    readonly count?: string;
    readonly asDouble?: number;
    readonly asInt?: string;
  }[];
}

interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: OtlpData;
  readonly sum?: OtlpData;
  readonly gauge?: OtlpData;
}

/** What one process reports. */
interface OtlpReport {
  readonly resource: { readonly attributes: readonly OtlpAttribute[] };
  readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
}

const KINDS = ['', 'INTERNAL', 'SERVER', 'CLIENT'];

/** Starts a collector for this test. */
export async function startCollector(): Promise<Collector> {
  const bodies: { readonly path: string; readonly text: string }[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let failures: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const status = failures.shift() ?? 200;
    if (status === 200) {
      bodies.push({ path: request.url ?? '', text });
      headers.push(request.headers);
    }
    const type = request.headers['content-type'] ?? '';
    // An empty response is one in Protobuf, too.
    response.writeHead(status, { 'content-type': type }).end(/json/.test(type) ? '{}' : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const reports = (path: string): OtlpReport[] =>
    bodies
      .filter((body) => body.path === path)
      .flatMap(({ text }) => {
        const { resourceSpans, resourceMetrics } = JSON.parse(text);
        return resourceSpans ?? resourceMetrics;
      });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    headers,
    text: () => bodies.map(({ text }) => text).join('\n'),
    fail: (...statuses) => {
      failures = statuses;
    },
    spans: () =>
      reports('/v1/traces').flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans.map(readSpan)),
      ),
    batches: () =>
      reports('/v1/traces').map(
        ({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans).length,
      ),
    metrics: () =>
      (reports('/v1/metrics').at(-1)?.scopeMetrics ?? []).flatMap(({ metrics }) =>
        metrics.map(readMetric),
      ),
    resource: () => {
      const latest = [...reports('/v1/metrics'), ...reports('/v1/traces')].at(-1);
      return readAttributes(latest?.resource.attributes ?? []);
    },
  };
}

function readSpan(span: OtlpSpan): CollectedSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    traceState: span.traceState,
    name: span.name,
    kind: KINDS[span.kind] ?? '',
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
    attributes: readAttributes(span.attributes),
    isError: span.status.code === 2,
  };
}

function readMetric(metric: OtlpMetric): CollectedMetric {
  const { name, unit } = metric;
  const kind = (['histogram', 'sum', 'gauge'] as const).find((one) => metric[one] !== undefined);
  const points = (kind === undefined ? [] : (metric[kind]?.dataPoints ?? [])).map((point) => ({
    attributes: readAttributes(point.attributes),
    count: Number(point.count ?? point.asDouble ?? point.asInt),
  }));
  return { name, unit, kind: kind ?? '', points };
}

function readAttributes(attributes: readonly OtlpAttribute[]): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
