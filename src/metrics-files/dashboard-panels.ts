import type { Instrument } from '../gateway/observe/instrument.ts';
import * as metrics from '../gateway/observe/metrics.ts';
import { prometheusName as nameOf } from '../gateway/observe/prometheus.ts';

/** A panel of the dashboard. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  /** The metric that the panel is about. Its description is that of the panel. */
  readonly about: Instrument;
  /** Expressions, with the text that names their lines. */
  readonly lines: readonly (readonly [expr: string, legend: string])[];
}

/** The series of the gateways that are selected. */
const of = (name: string) => `${name}{instance=~"$instance"}`;
const rate = (name: string, by: string) => `sum by (${by}) (rate(${of(name)}[$__rate_interval]))`;
const percentile = (share: number, name: string, by: string) =>
  `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${of(`${name}_bucket`)}[$__rate_interval])))`;
const requests = nameOf(metrics.requestDuration);
const calls = nameOf(metrics.restDuration);

/** The panels, in the order in which they are read. */
export const panels: readonly Panel[] = [
  {
    title: 'Requests',
    unit: 'reqps',
    about: metrics.requestDuration,
    lines: [[rate(`${requests}_count`, 'graphql_operation_type'), '{{graphql_operation_type}}']],
  },
  {
    title: 'Duration of requests',
    unit: 's',
    about: metrics.requestDuration,
    lines: [0.5, 0.95, 0.99].map((share) => [percentile(share, requests, ''), `${share}`]),
  },
  {
    title: 'Errors',
    unit: 'reqps',
    about: metrics.responseErrors,
    lines: [
      [rate(nameOf(metrics.responseErrors), 'error_type'), '{{error_type}}'],
      [rate(nameOf(metrics.rejectedRequests), 'error_type'), 'rejected: {{error_type}}'],
    ],
  },
  {
    title: 'Active requests',
    unit: 'none',
    about: metrics.activeRequests,
    lines: [[`sum(${of(nameOf(metrics.activeRequests))})`, 'active']],
  },
  {
    title: 'Calls to services',
    unit: 'reqps',
    about: metrics.restDuration,
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
    about: metrics.restDuration,
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
    about: metrics.restNotMade,
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
    about: metrics.restConnections,
    lines: [
      [
        `sum by (tillgraph_service, tillgraph_use, tillgraph_state) (${of(nameOf(metrics.restConnections))})`,
        '{{tillgraph_service}} {{tillgraph_use}} {{tillgraph_state}}',
      ],
    ],
  },
  {
    title: 'Money operations that are not final',
    unit: 'none',
    about: metrics.openMoneyOperations,
    lines: [
      [
        `max by (tillgraph_money_state, tillgraph_age) (${of(nameOf(metrics.openMoneyOperations))})`,
        '{{tillgraph_money_state}}, {{tillgraph_age}}',
      ],
    ],
  },
  {
    title: 'Changes of money operations',
    unit: 'ops',
    about: metrics.moneyTransitions,
    lines: [
      [
        rate(nameOf(metrics.moneyTransitions), 'tillgraph_money_kind, tillgraph_money_state'),
        '{{tillgraph_money_kind}} {{tillgraph_money_state}}',
      ],
    ],
  },
  {
    title: 'Duration of steps in the store of money operations, 99th percentile',
    unit: 's',
    about: metrics.storeDuration,
    lines: [[percentile(0.99, nameOf(metrics.storeDuration), 'instance'), '{{instance}}']],
  },
  {
    title: 'Reads and queries that were shared, and compiled queries',
    unit: 'none',
    about: metrics.sharedWork,
    lines: [
      [
        rate(nameOf(metrics.sharedWork), 'tillgraph_level'),
        'shared each second: {{tillgraph_level}}',
      ],
      [`sum(${of(nameOf(metrics.plans))})`, 'compiled'],
    ],
  },
  {
    title: 'Memory',
    unit: 'bytes',
    about: metrics.processMemory,
    lines: [[of(nameOf(metrics.processMemory)), '{{instance}}']],
  },
  {
    title: 'Cores in use and delay of the event loop',
    unit: 'none',
    about: metrics.loopDelay,
    lines: [
      [rate(nameOf(metrics.processCpu), 'instance'), 'cores: {{instance}}'],
      [of(nameOf(metrics.loopDelay)), 'delay in seconds: {{instance}}'],
    ],
  },
];
