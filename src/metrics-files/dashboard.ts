import * as metrics from '../gateway/observe/metrics.ts';
import { prometheusName as nameOf } from '../gateway/observe/prometheus.ts';

interface Panel {
  readonly title: string;
  readonly unit: string;
  /** Expressions, with the text that names their lines. */
  readonly lines: readonly (readonly [expr: string, legend: string])[];
}

const rate = (name: string, by: string, labels = '') =>
  `sum by (${by}) (rate(${name}${labels}[$__rate_interval]))`;
const percentile = (share: number, name: string, by: string) =>
  `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${name}_bucket[$__rate_interval])))`;
const requests = nameOf(metrics.requestDuration);
const calls = nameOf(metrics.restDuration);

const panels: readonly Panel[] = [
  {
    title: 'Requests',
    unit: 'reqps',
    lines: [[rate(`${requests}_count`, 'graphql_operation_type'), '{{graphql_operation_type}}']],
  },
  {
    title: 'Duration of requests',
    unit: 's',
    lines: [0.5, 0.95, 0.99].map((share) => [percentile(share, requests, ''), `${share}`]),
  },
  {
    title: 'Errors',
    unit: 'reqps',
    lines: [
      [rate(nameOf(metrics.responseErrors), 'error_type'), '{{error_type}}'],
      [rate(nameOf(metrics.rejectedRequests), 'error_type'), 'rejected: {{error_type}}'],
    ],
  },
  {
    title: 'Active requests',
    unit: 'none',
    lines: [[`sum(${nameOf(metrics.activeRequests)})`, 'active']],
  },
  {
    title: 'Calls to services',
    unit: 'reqps',
    lines: [
      [
        rate(`${calls}_count`, 'server_address, server_port, http_response_status_code'),
        '{{server_address}}:{{server_port}} {{http_response_status_code}}',
      ],
    ],
  },
  {
    title: 'Duration of calls, 99th percentile',
    unit: 's',
    lines: [
      [
        percentile(0.99, calls, 'server_address, server_port'),
        '{{server_address}}:{{server_port}}',
      ],
    ],
  },
  {
    title: 'Calls that were stopped or repeated',
    unit: 'reqps',
    lines: [
      [rate(nameOf(metrics.restRetries), 'tillgraph_service'), 'repeated: {{tillgraph_service}}'],
      [
        rate(nameOf(metrics.restNotMade), 'tillgraph_service, error_type'),
        '{{error_type}}: {{tillgraph_service}}',
      ],
    ],
  },
  {
    title: 'Connections',
    unit: 'none',
    lines: [
      [
        `sum by (tillgraph_service, tillgraph_use, tillgraph_state) (${nameOf(metrics.restConnections)})`,
        '{{tillgraph_service}} {{tillgraph_use}} {{tillgraph_state}}',
      ],
    ],
  },
  {
    title: 'Money operations that are not final',
    unit: 'none',
    lines: [
      [
        `max by (tillgraph_money_state, tillgraph_age) (${nameOf(metrics.openMoneyOperations)})`,
        '{{tillgraph_money_state}}, {{tillgraph_age}}',
      ],
    ],
  },
  {
    title: 'Changes of money operations',
    unit: 'ops',
    lines: [
      [
        rate(nameOf(metrics.moneyTransitions), 'tillgraph_money_kind, tillgraph_money_state'),
        '{{tillgraph_money_kind}} {{tillgraph_money_state}}',
      ],
    ],
  },
  {
    title: 'Memory',
    unit: 'bytes',
    lines: [[nameOf(metrics.processMemory), '{{instance}}']],
  },
  {
    title: 'Cores in use and delay of the event loop',
    unit: 'none',
    lines: [
      [rate(nameOf(metrics.processCpu), 'instance'), 'cores: {{instance}}'],
      [nameOf(metrics.loopDelay), 'delay in seconds: {{instance}}'],
    ],
  },
];

const [WIDTH, HEIGHT, COLUMNS] = [12, 8, 2];

/** The dashboard as the file that Grafana imports. */
export function dashboardFile(): string {
  const source = { type: 'prometheus', uid: '$source' };
  const dashboard = {
    title: 'Tillgraph',
    uid: 'tillgraph',
    schemaVersion: 39,
    timezone: 'utc',
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
    },
    panels: panels.map(({ title, unit, lines }, index) => ({
      id: index + 1,
      title,
      type: 'timeseries',
      datasource: source,
      gridPos: {
        x: (index % COLUMNS) * WIDTH,
        y: Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: lines.map(([expr, legendFormat], line) => ({
        refId: String.fromCharCode(65 + line),
        datasource: source,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
