import * as metrics from '../gateway/observe/metrics.ts';
import { prometheusName as nameOf } from '../gateway/observe/prometheus.ts';

/** A rule of Prometheus. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'page' | 'ticket';
  readonly summary: string;
  /** The section of docs/operating.md that says what to do. */
  readonly runbook: string;
}

const requests = `${nameOf(metrics.requestDuration)}_count`;
/** Codes for which no client is to blame. */
const codes = 'UPSTREAM_.+|STORE_UNAVAILABLE|NOT_SENT|OUTCOME_UNKNOWN|INTERNAL_SERVER_ERROR';
const failures = `sum(rate(${nameOf(metrics.responseErrors)}{error_type=~"${codes}"}[5m]))`;
const open = nameOf(metrics.openMoneyOperations);

/** The alerts that an operator should have. */
export const alertRules: readonly AlertRule[] = [
  {
    alert: 'TillgraphDown',
    expr: `absent(${nameOf(metrics.build)})`,
    for: '2m',
    severity: 'page',
    summary: 'Prometheus reads the metrics of no gateway.',
    runbook: 'the-gateway-is-down',
  },
  {
    alert: 'TillgraphMoneyNeedsOperator',
    expr: `max by (tillgraph_age) (${open}{tillgraph_money_state="NEEDS_OPERATOR"}) > 0`,
    for: '5m',
    severity: 'page',
    summary: 'Money operations wait for the operator to settle them.',
    runbook: 'the-number-of-unknown-outcomes-grows',
  },
  {
    alert: 'TillgraphMoneyUnknown',
    expr: `max by (tillgraph_age) (${open}{tillgraph_money_state="UNKNOWN",tillgraph_age!~"under 1 minute|under 15 minutes"}) > 0`,
    for: '5m',
    severity: 'page',
    summary: 'The outcome of money operations has been unknown for more than a quarter of an hour.',
    runbook: 'the-number-of-unknown-outcomes-grows',
  },
  {
    alert: 'TillgraphStoreUnavailable',
    expr: `min(${nameOf(metrics.storeAvailable)}) == 0`,
    for: '1m',
    severity: 'page',
    summary: 'The store of money operations cannot be read, so no money operation can be made.',
    runbook: 'the-store-is-down',
  },
  {
    alert: 'TillgraphServiceStopped',
    expr: `max by (tillgraph_service) (${nameOf(metrics.breakerOpen)}) == 1`,
    for: '1m',
    severity: 'page',
    summary:
      'The gateway does not call the service {{ $labels.tillgraph_service }}, because it fails.',
    runbook: 'a-service-is-down',
  },
  {
    alert: 'TillgraphErrors',
    expr: `${failures} / sum(rate(${requests}[5m])) > 0.05`,
    for: '10m',
    severity: 'ticket',
    summary: 'For more than 5 % of the requests, a service or the store of money operations fails.',
    runbook: 'a-service-is-down',
  },
  {
    alert: 'TillgraphShedding',
    expr: `sum(rate(${nameOf(metrics.rejectedRequests)}{error_type="OVERLOADED"}[5m])) > 0`,
    for: '5m',
    severity: 'ticket',
    summary: 'The gateway rejects requests because it has too much work.',
    runbook: 'the-gateway-has-too-much-work',
  },
  {
    alert: 'TillgraphSlowLoop',
    expr: `${nameOf(metrics.loopDelay)} > 0.2`,
    for: '10m',
    severity: 'ticket',
    summary: 'The event loop of a gateway is late by more than 200 ms.',
    runbook: 'the-gateway-has-too-much-work',
  },
  {
    alert: 'TillgraphMemory',
    expr: `${nameOf(metrics.processMemory)} > 650e6`,
    for: '15m',
    severity: 'ticket',
    summary: 'A process of a gateway uses more than 650 MB of memory. The manifests allow 805 MB.',
    runbook: 'memory-grows',
  },
  {
    alert: 'TillgraphTelemetryDropped',
    expr: `sum(rate(${nameOf(metrics.spans)}{tillgraph_result="dropped"}[10m])) > 0`,
    for: '10m',
    severity: 'ticket',
    summary: 'Spans are dropped, because the collector is slow or down.',
    runbook: 'the-collector-is-down',
  },
];

/** The rules as the file that Prometheus loads. JSON is YAML, and needs no writer of YAML. */
export function alertsFile(): string {
  const rules = alertRules.map(({ alert, expr, for: duration, severity, summary, runbook }) => ({
    alert,
    expr,
    for: duration,
    labels: { severity },
    annotations: { summary, runbook: `docs/operating.md#${runbook}` },
  }));
  const file = { groups: [{ name: 'tillgraph', rules }] };
  return `# Written by \`npm run metrics\` from src/metrics-files/alert-rules.ts.\n${JSON.stringify(file, null, 2)}\n`;
}
