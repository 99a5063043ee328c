import { z } from 'zod';
import { optionalSetting, setting } from '../settings/setting.ts';
import {
  decimal,
  httpUrl,
  integer,
  oneOf,
  only,
  onOrOff,
  port,
  text,
  type ValueType,
} from '../settings/value-types.ts';
import { samplers } from './observe/sampler.ts';

/** Names and values, separated by commas, with percent-encoded values. */
const pairs: ValueType<Readonly<Record<string, string>>> = {
  accepts:
    'names and values such as "name=value", separated by commas, with values in URL encoding',
  schema: z
    .string()
    .regex(/^[^=,\s]+=[^=,]*(,\s*[^=,\s]+=[^=,]*)*$/)
    .refine((list) => !/%(?![0-9A-Fa-f]{2})/.test(list))
    .transform((list) =>
      Object.fromEntries(
        list.split(',').map((pair) => {
          const [name = '', value = ''] = pair.split('=');
          return [name.trim(), decodeURIComponent(value.trim())];
        }),
      ),
    ),
  mayShowValue: false,
};

const truth = only('true');
const COLLECTOR = 'http://127.0.0.1:4318';

const otlp = z.object({
  isDisabled: setting('OTEL_SDK_DISABLED', truth, {
    default: '',
    unset: 'telemetry is sent if there is an endpoint',
    description: 'Set to `true` to send no telemetry, whatever the other settings say.',
  }),
  endpoint: optionalSetting('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl(COLLECTOR), {
    unset: 'no telemetry is sent',
    description:
      'Base URL of an OpenTelemetry collector. The gateway sends traces to `/v1/traces` and metrics to `/v1/metrics` below it, in OTLP over HTTP with JSON.',
  }),
  tracesEndpoint: optionalSetting(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    httpUrl(`${COLLECTOR}/v1/traces`),
    {
      unset: '`OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`',
      description: 'Complete URL to which traces are sent.',
    },
  ),
  metricsEndpoint: optionalSetting(
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    httpUrl(`${COLLECTOR}/v1/metrics`),
    {
      unset: '`OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/metrics`',
      description: 'Complete URL to which metrics are sent.',
    },
  ),
  headers: optionalSetting('OTEL_EXPORTER_OTLP_HEADERS', pairs, {
    secret: true,
    unset: 'no further headers',
    description: 'Headers that the gateway sends to the collector, such as a key.',
  }),
  timeoutMs: setting('OTEL_EXPORTER_OTLP_TIMEOUT', integer(1, 600_000), {
    default: 10_000,
    unit: 'milliseconds',
    description: 'Time limit for one request to the collector.',
  }),
  protocol: setting('OTEL_EXPORTER_OTLP_PROTOCOL', oneOf('http/json'), {
    default: 'http/json',
    description: 'How telemetry is sent. There is only one way.',
  }),
  traces: setting('OTEL_TRACES_EXPORTER', oneOf('otlp', 'none'), {
    default: 'otlp',
    description: 'Set to `none` to send no traces.',
  }),
  metrics: setting('OTEL_METRICS_EXPORTER', oneOf('otlp', 'none'), {
    default: 'otlp',
    description: 'Set to `none` to send no metrics. `/metrics` does not depend on it.',
  }),
  metricsMs: setting('OTEL_METRIC_EXPORT_INTERVAL', integer(1, 3_600_000), {
    default: 60_000,
    unit: 'milliseconds',
    description: 'Time between two exports of the metrics.',
  }),
  serviceName: setting('OTEL_SERVICE_NAME', text, {
    default: 'tillgraph',
    description: 'Name of this service in telemetry.',
  }),
  resource: optionalSetting('OTEL_RESOURCE_ATTRIBUTES', pairs, {
    unset: 'no further attributes',
    description: 'Attributes of this process in telemetry, such as `deployment.environment.name`.',
  }),
  sampler: z.object({
    name: setting('OTEL_TRACES_SAMPLER', oneOf(...samplers), {
      default: 'parentbased_always_on',
      description:
        'Which requests are traced. The values that begin with `parentbased_` follow the decision of the caller, if the request has a `traceparent`.',
    }),
    ratio: setting('OTEL_TRACES_SAMPLER_ARG', decimal(0, 1), {
      default: 1,
      description: 'Share of the requests that the samplers with a ratio trace.',
    }),
  }),
  batch: z.object({
    delayMs: setting('OTEL_BSP_SCHEDULE_DELAY', integer(1, 600_000), {
      default: 5_000,
      unit: 'milliseconds',
      description: 'Time between two exports of spans.',
    }),
    queueSize: setting('OTEL_BSP_MAX_QUEUE_SIZE', integer(1, 100_000), {
      default: 2_048,
      description: 'Spans that may wait for their export. The others are dropped, and counted.',
    }),
    batchSize: setting('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', integer(1, 10_000), {
      default: 512,
      description: 'Spans in one request to the collector.',
    }),
  }),
});

/** What the gateway tells its operators about itself. */
export const telemetrySettings = {
  operations: z.object({
    port: optionalSetting('OPERATIONS_PORT', port, {
      unset: 'no port is opened',
      description:
        'Port for `/metrics`, which Prometheus reads, and for `/health` and `/ready`. 0 picks a free port.',
    }),
    host: setting('OPERATIONS_HOST', text, {
      default: '127.0.0.1',
      description:
        'Address on which `OPERATIONS_PORT` is opened. What it shows has no access control, so keep it inside your network.',
    }),
  }),
  metricNames: setting('METRICS_OPERATION_NAMES', onOrOff, {
    default: 'off',
    description:
      'Whether metrics show the names of operations of persisted documents. Names of other documents are never shown, because clients choose them.',
  }),
  otlp,
};
