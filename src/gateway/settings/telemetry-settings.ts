import { z } from 'zod';
import { optionalSetting, setting } from '../../settings/setting.ts';
import { httpUrl, port, text } from '../../settings/value-types.ts';

/** What the gateway tells its operators about itself. */
export const telemetrySettings = {
  operations: z.object({
    port: optionalSetting('OPERATIONS_PORT', port, {
      unset: 'no port is opened',
      description:
        'Port for `/metrics` (for Prometheus), `/health` and `/ready`. 0 picks a free port.',
    }),
    host: setting('OPERATIONS_HOST', text, {
      default: '127.0.0.1',
      description:
        'Address that `OPERATIONS_PORT` listens on. It has no access control, so keep it inside your network.',
    }),
  }),
  otlpEndpoint: optionalSetting('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl('http://127.0.0.1:4318'), {
    unset: 'no telemetry is sent',
    description:
      'Base URL of an OpenTelemetry collector. The gateway sends traces to `/v1/traces` and metrics to `/v1/metrics` below it, in OTLP over HTTP. To send only one of them, set `OTEL_TRACES_EXPORTER` or `OTEL_METRICS_EXPORTER` to `none`.',
  }),
};
