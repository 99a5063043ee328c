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
const failures = `sum(rate(${requests}{error_type="_execution_error"}[5m]))`;
const open = nameOf(metrics.openMoneyOperations);

/** The alerts that an operator should have. */
export const alertRules: readonly AlertRule[] = [
  {
    alert: 'TillgraphMoneyNeedsOperator',
    expr: `max by (tillgraph_age) (${open}{tillgraph_money_state="NEEDS_OPERATOR"}) > 0`,
    for: '5m',
    severity: 'page',
    summary: 'Money operations wait for the operator to settle them.',
    runbook: 'unknown-outcomes-grow',
  },
  {
    alert: 'TillgraphMoneyUnknown',
    expr: `max by (tillgraph_age) (${open}{tillgraph_money_state="UNKNOWN",tillgraph_age!="under 1 minute"}) > 0`,
    for: '15m',
    severity: 'page',
    summary: 'The outcome of money operations has been unknown for more than a quarter of an hour.',
    runbook: 'unknown-outcomes-grow',
  },
  {
    alert: 'TillgraphStoreUnavailable',
    expr: `min(${nameOf(metrics.storeAvailable)}) == 0`,
    for: '1m',
    severity: 'page',
    summary: 'The record of money operations cannot be read, so none can be made.',
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
    summary: 'More than 5 % of the requests have an error.',
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
    expr: `${nameOf(metrics.processMemory)} > 1e9`,
    for: '15m',
    severity: 'ticket',
    summary: 'A gateway uses more than 1 GB of memory.',
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
