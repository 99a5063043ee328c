import { DiagLogLevel, diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { within } from '../../within.ts';
import type { Listener } from './listener.ts';
import { createMetrics } from './metrics.ts';
import { type Readable, readGauges } from './read-gauges.ts';
import { recordMetrics } from './record-metrics.ts';
import { traceRequests } from './trace-requests.ts';

/** Options of the SDK. It reads everything else from the environment variables of OpenTelemetry. */
export interface SdkOptions extends Readable {
  readonly listener: Listener;
  /** Whether metrics show the names of operations. */
  readonly log: { readonly operationNames: boolean };
  /** Whether Prometheus can read the metrics. */
  readonly hasPort: boolean;
  /** Whether there is an OpenTelemetry collector. */
  readonly hasCollector: boolean;
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
}

/** The OpenTelemetry SDK. */
export interface Sdk {
  /** The metrics in the format of Prometheus. */
  showMetrics(): Promise<string>;
  /** Exports the remaining data, and stops. */
  close(): Promise<void>;
}

/** How long the last export may take. */
const LAST_EXPORT_MS = 5_000;
/** Metrics exported elsewhere are kept for Prometheus until they are collected for it. */
const COLLECT_AT_LEAST_MS = 600_000;

/** Starts the OpenTelemetry SDK. */
export function startSdk(options: SdkOptions): Sdk {
  const { listener, hasPort, hasCollector, report, version } = options;
  reportProblems(report);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'tillgraph', 'service.version': version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
  const sends = (signal: string) =>
    hasCollector && getStringFromEnv(`OTEL_${signal}_EXPORTER`) !== 'none';

  const prometheus = hasPort ? new PrometheusExporter({ preventServerStart: true }) : undefined;
  const reader = sends('METRICS') ? createMetricReader() : undefined;
  const readers = [prometheus, reader].filter((each) => each !== undefined);
  const meterProvider = new MeterProvider({ resource, readers });
  let stopGauges = () => {};
  if (readers.length > 0) {
    const metrics = createMetrics(meterProvider.getMeter('tillgraph', version));
    recordMetrics(listener, metrics, options.log.operationNames);
    stopGauges = readGauges(metrics, options);
  }
  const timer = setInterval(() => void prometheus?.collect(), COLLECT_AT_LEAST_MS).unref();

  let tracerProvider: TracerProvider | undefined;
  if (sends('TRACES')) {
    const spanProcessors = [createSpanProcessor(meterProvider)];
    tracerProvider = new TracerProvider({ resource, spanProcessors, sampler: createSampler() });
    traceRequests(listener, tracerProvider.getTracer('tillgraph', version));
  }

  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    showMetrics: async () => {
      const collected = await prometheus?.collect();
      return collected === undefined ? '' : serializer.serialize(collected.resourceMetrics);
    },
    close: async () => {
      clearInterval(timer);
      stopGauges();
      const work = Promise.allSettled([tracerProvider?.shutdown(), meterProvider.shutdown()]);
      await within(work, LAST_EXPORT_MS, () => {});
    },
  };
}

// The exporters read OpenTelemetry's environment variables themselves. The classes below do not.

function createMetricReader(): PeriodicExportingMetricReader {
  const exporter = isJson('METRICS') ? new JsonMetricExporter() : new OTLPMetricExporter();
  const exportIntervalMillis = getNumberFromEnv('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000;
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis });
}

/** @param selfObsMeterProvider counts the spans that are exported or dropped */
function createSpanProcessor(selfObsMeterProvider: MeterProvider): BatchSpanProcessor {
  return new BatchSpanProcessor({
    exporter: isJson('TRACES') ? new JsonTraceExporter() : new OTLPTraceExporter(),
    selfObsMeterProvider,
    scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY') ?? 5_000,
    maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048,
    maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE') ?? 512,
  });
}

function createSampler(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const roots: Readonly<Record<string, Sampler>> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1),
  };
  const root = roots[name.replace(/^parentbased_/, '')];
  if (root === undefined) {
    throw new Error(
      `OTEL_TRACES_SAMPLER must be ${Object.keys(roots).join(', ')}, or one of them prefixed with parentbased_.`,
    );
  }
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function isJson(signal: string): boolean {
  const protocol =
    getStringFromEnv(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ??
    getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL');
  return protocol === 'http/json';
}

/** Reports each problem only once, because a collector can be down for days. */
function reportProblems(report: (message: string) => void): void {
  const told = new Set<string>();
  const tell = (message: string) => {
    const problem = message.replaceAll(/\d+/g, '0');
    if (told.has(problem)) return;
    told.add(problem);
    report(`OpenTelemetry: ${message}`);
  };
  const nothing = () => {};
  diag.setLogger(
    { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((error) =>
    tell(typeof error === 'string' ? error : (error.message ?? 'Unexpected error.')),
  );
}
