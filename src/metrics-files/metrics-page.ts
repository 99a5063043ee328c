import type { Instrument } from '../gateway/observe/instrument.ts';
import { metrics } from '../gateway/observe/metrics.ts';
import { prometheusName } from '../gateway/observe/prometheus.ts';

const INTRODUCTION = `# Metrics and traces

<!-- Written by \`npm run metrics\` from src/gateway/observe/metrics.ts. -->

With \`OPERATIONS_PORT\`, Prometheus can read the metrics of a gateway at \`/metrics\` on that port. With \`OTEL_EXPORTER_OTLP_ENDPOINT\`, the gateway sends them to an OpenTelemetry collector, and traces as well. If neither is set, nothing is measured. The settings are in [settings.md](settings.md#telemetry).

The gateway reports at most 2,000 series. Beyond that, each metric counts further values in one series with the attribute \`otel.metric.overflow\`. No attribute contains anything that a client can choose.

Alert rules for Prometheus are in [deploy/prometheus/alerts.yaml](../deploy/prometheus/alerts.yaml), and a dashboard for Grafana is in [deploy/grafana/dashboard.json](../deploy/grafana/dashboard.json). The [runbooks](operating.md#runbooks) say what to do when an alert fires.

## Traces

A request has a span of the kind \`SERVER\`, named by the type of its operation. Below it are the spans of its phases and calls. The gateway reads the headers \`traceparent\` and \`tracestate\` of the W3C, and sends them to the services.

| span | kind | attributes |
|---|---|---|
| \`query\`, \`mutation\`, or \`GraphQL Operation\` if the document cannot be parsed | \`SERVER\` | \`graphql.operation.type\`, \`graphql.document.hash\`, \`error.type\`; for persisted documents also \`graphql.document.id\` and \`graphql.operation.name\` |
| \`GraphQL Document Parsing\` and \`GraphQL Document Validation\`, unless the document is in the cache | \`INTERNAL\` | the same without \`error.type\` |
| \`GraphQL Variable Coercion\` and \`GraphQL Operation Execution\` | \`INTERNAL\` | the same without \`error.type\` |
| \`GET\` or another method, for each of the first 200 calls to a service | \`CLIENT\` | \`http.request.method\`, \`server.address\`, \`server.port\`, \`url.full\` with ids and the values of the query string removed, \`http.response.status_code\`, \`http.request.resend_count\`, \`error.type\` |

No span contains a document, a variable, a key or the name of an operation that a client has chosen. A request that joins the same query in flight has a span of its own, but the phases and calls belong to the request that it joined.

## Metrics

The names are those of OpenTelemetry, and below them those of Prometheus. The metrics that begin with \`graphql.server\` follow the draft conventions of the GraphQL working group.
`;

/** The page that documents every metric. */
export function metricsPage(): string {
  return `${INTRODUCTION}\n${metrics.map(section).join('\n')}`;
}

function section(instrument: Instrument): string {
  const { name, unit, description, caution, kind, attributes, bounds } = instrument;
  const rows = Object.entries(attributes).map(([key, values]) => `| \`${key}\` | ${values} |`);
  const table = rows.length === 0 ? '' : `\n| attribute | value |\n|---|---|\n${rows.join('\n')}\n`;
  const buckets = kind === 'histogram' ? `, with the bounds ${bounds.join(', ')}` : '';
  return `### \`${name}\`

\`${prometheusName(instrument)}\`, ${KINDS[kind]} in \`${unit}\`${buckets}. ${description} ${caution}
${table}`;
}

const KINDS = {
  counter: 'a counter',
  upDownCounter: 'an up-down counter (a gauge in Prometheus)',
  gauge: 'a gauge',
  histogram: 'a histogram',
} as const;
