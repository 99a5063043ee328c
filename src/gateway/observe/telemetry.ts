import { randomUUID } from 'node:crypto';
import { within } from '../../within.ts';
import type { GatewaySettings } from '../settings.ts';
import { createListener, type Listener } from './listener.ts';
import { metrics, rejectedRequests, spans as spanMetric } from './metrics.ts';
import { type OperationsPort, openOperationsPort } from './operations-port.ts';
import { type Resource, toMetricsRequest, toTraceRequest } from './otlp.ts';
import { createExporter, type Exporter } from './otlp-exporter.ts';
import { PROMETHEUS_TYPE, toPrometheus } from './prometheus.ts';
import { type Readable, readGauges } from './read-gauges.ts';
import { recordMetrics } from './record-metrics.ts';
import { createRegistry, type Registry } from './registry.ts';
import { createSampler } from './sampler.ts';
import { createSpanQueue } from './span-queue.ts';
import { traceRequests } from './trace-requests.ts';

/** How a gateway reports. */
export interface TelemetryOptions
  extends Pick<GatewaySettings, 'operations' | 'metricNames' | 'otlp'>,
    Readable {
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** What reports how a gateway is. */
export interface Telemetry {
  /** Address of the operations port; undefined if it is not open. */
  readonly url: string | undefined;
  /** Closes the operations port, but still sends what there is to send. */
  closePort(): Promise<void>;
  /** Sends what is left, and stops. */
  close(): Promise<void>;
}

/**
 * Starts what the settings ask for: the operations port, and the export of metrics and traces.
 * There can be one in a process, because all gateways of a process publish to the same channels.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { operations, otlp, report, onBug } = options;
  const targets = findTargets(otlp);
  const wantsPort = operations.port !== undefined;
  if (!wantsPort && targets.metrics === undefined && targets.traces === undefined) {
    return { url: undefined, closePort: async () => {}, close: async () => {} };
  }
  const listener = createListener(onBug);
  const registry = createRegistry(metrics);
  const showsMetrics = wantsPort || targets.metrics !== undefined;
  const stopGauges = showsMetrics ? startMetrics(options, listener, registry) : () => {};
  const resource = resourceOf(options);
  const open = (url: string) =>
    createExporter({ url, headers: otlp.headers ?? {}, timeoutMs: otlp.timeoutMs }, report);
  const exports = [
    ...(targets.metrics === undefined
      ? []
      : [exportMetrics(open(targets.metrics), registry, resource, otlp.metricsMs)]),
    ...(targets.traces === undefined
      ? []
      : [exportTraces(open(targets.traces), listener, registry, resource, options)]),
  ];
  const port = await openPort(options, registry).catch(async (error) => {
    listener.stop();
    stopGauges();
    throw error;
  });
  return {
    url: port?.url,
    closePort: async () => port?.close(),
    close: async () => {
      listener.stop();
      await Promise.all([port?.close(), ...exports.map((close) => close())]);
      stopGauges();
    },
  };
}

function startMetrics(options: TelemetryOptions, listener: Listener, registry: Registry) {
  recordMetrics(listener, registry, options.metricNames);
  // What alerts watch begins at 0: Prometheus cannot see how a series grew that begins later.
  registry.add(rejectedRequests, 0, 'OVERLOADED', '503');
  return readGauges(registry, options);
}

function findTargets(otlp: GatewaySettings['otlp']) {
  if (otlp.isDisabled) return { metrics: undefined, traces: undefined };
  const below = (path: string) => (otlp.endpoint === undefined ? undefined : otlp.endpoint + path);
  return {
    metrics: otlp.metrics === 'none' ? undefined : (otlp.metricsEndpoint ?? below('/v1/metrics')),
    traces: otlp.traces === 'none' ? undefined : (otlp.tracesEndpoint ?? below('/v1/traces')),
  };
}

function resourceOf({ otlp, version }: TelemetryOptions): Resource {
  return {
    'telemetry.sdk.name': 'tillgraph',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': process.version,
    // Several processes can have the same name, and each counts for itself.
    'service.instance.id': randomUUID(),
    'service.version': version,
    ...otlp.resource,
    'service.name': otlp.serviceName,
  };
}

/** How long the last export may hold up the end of the process. */
const LAST_EXPORT_MS = 5_000;

async function endExport(work: Promise<unknown>, exporter: Exporter): Promise<void> {
  exporter.stop();
  await within(work, LAST_EXPORT_MS, () => {});
}

function exportMetrics(exporter: Exporter, registry: Registry, resource: Resource, ms: number) {
  let sending: Promise<unknown> | undefined;
  const send = () => {
    sending ??= registry
      .collect()
      .then((collected) => exporter.send(toMetricsRequest(resource, collected)))
      .finally(() => {
        sending = undefined;
      });
    return sending;
  };
  const timer = setInterval(send, ms).unref();
  return async () => {
    clearInterval(timer);
    await endExport(send(), exporter);
  };
}

function exportTraces(
  exporter: Exporter,
  listener: Listener,
  registry: Registry,
  resource: Resource,
  { otlp: { batch, sampler }, onBug }: TelemetryOptions,
) {
  const queue = createSpanQueue(
    batch,
    (spans) => exporter.send(toTraceRequest(resource, spans)),
    (result, count) => registry.add(spanMetric, count, result),
    onBug,
  );
  registry.add(spanMetric, 0, 'dropped');
  traceRequests(listener, createSampler(sampler.name, sampler.ratio), queue.add);
  return () => endExport(queue.close(), exporter);
}

async function openPort(
  { operations: { host, port }, gateway, onBug }: TelemetryOptions,
  registry: Registry,
): Promise<OperationsPort | undefined> {
  if (port === undefined) return undefined;
  return openOperationsPort(
    { host, port },
    {
      '/metrics': async () => ({
        status: 200,
        type: PROMETHEUS_TYPE,
        body: toPrometheus(await registry.collect()),
      }),
      '/health': () => ({ status: 200, type: 'text/plain; charset=utf-8', body: '' }),
      '/ready': () => ({ type: 'application/json', ...gateway.readiness() }),
    },
    onBug,
  );
}
