import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { projectFolder } from '../support/program.ts';
import { scratchFolder } from '../support/storage.ts';

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
const why = hasPromtool ? '' : ' (skipped: promtool is not installed)';
if (!hasPromtool) console.warn(`The alert rules${why}`);

const rules = join(projectFolder, 'deploy/prometheus/alerts.yaml');
const { panels } = JSON.parse(
  readFileSync(join(projectFolder, 'deploy/grafana/dashboard.json'), 'utf8'),
);

/** For each rule, series with which it fires, and others with which it does not. */
const requests = 'graphql_server_request_duration_count';
const cases: Readonly<Record<string, { readonly fires: Series[]; readonly silent: Series[] }>> = {
  TillgraphDown: {
    fires: [['another_metric', '1x60']],
    silent: [['tillgraph_build{service_version="1"}', '1x60']],
  },
  TillgraphWorkersEnd: {
    fires: [['process_uptime', '0+60x30 1 0 1 0 1 0+60x30']],
    silent: [['process_uptime', '0+60x30 0+60x40']],
  },
  TillgraphMoneyNeedsOperator: {
    fires: [
      [
        'tillgraph_money_operations{tillgraph_money_state="NEEDS_OPERATOR",tillgraph_age="under 1 hour"}',
        '1x60',
      ],
    ],
    silent: [
      [
        'tillgraph_money_operations{tillgraph_money_state="PREPARED",tillgraph_age="under 1 hour"}',
        '5x60',
      ],
    ],
  },
  TillgraphMoneyUnknown: {
    fires: [
      [
        'tillgraph_money_operations{tillgraph_money_state="UNKNOWN",tillgraph_age="under 1 hour"}',
        '2x60',
      ],
    ],
    silent: [
      [
        'tillgraph_money_operations{tillgraph_money_state="UNKNOWN",tillgraph_age="under 1 minute"}',
        '2x60',
      ],
      [
        'tillgraph_money_operations{tillgraph_money_state="UNKNOWN",tillgraph_age="under 15 minutes"}',
        '2x60',
      ],
    ],
  },
  TillgraphStoreUnavailable: {
    fires: [
      ['tillgraph_money_store_available{instance="a"}', '1x60'],
      ['tillgraph_money_store_available{instance="b"}', '0x60'],
    ],
    silent: [['tillgraph_money_store_available{instance="a"}', '1x60']],
  },
  TillgraphReplicaOverdue: {
    fires: [['tillgraph_sync_overdue', '1x60']],
    silent: [['tillgraph_sync_overdue', '0x60']],
  },
  TillgraphReplicaStopped: {
    fires: [['tillgraph_sync_merchants{tillgraph_state="STOPPED"}', '1x60']],
    silent: [
      ['tillgraph_sync_merchants{tillgraph_state="STOPPED"}', '0x60'],
      ['tillgraph_sync_merchants{tillgraph_state="READY"}', '5x60'],
    ],
  },
  TillgraphReplicaRepaired: {
    fires: [['tillgraph_sync_repaired_total', '0x30 1x30']],
    silent: [['tillgraph_sync_repaired_total', '7x60']],
  },
  TillgraphWebhooksLate: {
    fires: [['tillgraph_webhooks_oldest', '3700x60']],
    silent: [['tillgraph_webhooks_oldest', '3500x60']],
  },
  TillgraphEventsLate: {
    fires: [['tillgraph_events_lag', '700x60']],
    silent: [['tillgraph_events_lag', '500x60']],
  },
  TillgraphServiceStopped: {
    fires: [['tillgraph_rest_breaker_open{tillgraph_service="payments"}', '1x60']],
    silent: [['tillgraph_rest_breaker_open{tillgraph_service="payments"}', '0x60']],
  },
  TillgraphErrors: {
    fires: [
      [`${requests}{graphql_operation_type="query"}`, '0+100x60'],
      ['tillgraph_response_errors_total{error_type="UPSTREAM_TIMEOUT"}', '0+4x60'],
      ['tillgraph_response_errors_total{error_type="STORE_UNAVAILABLE"}', '0+6x60'],
    ],
    silent: [
      [`${requests}{graphql_operation_type="query"}`, '0+100x60'],
      ['tillgraph_response_errors_total{error_type="UPSTREAM_TIMEOUT"}', '0+4x60'],
      ['tillgraph_response_errors_total{error_type="UNAUTHENTICATED"}', '0+60x60'],
    ],
  },
  TillgraphShedding: {
    fires: [['tillgraph_requests_rejected_total{error_type="OVERLOADED"}', '0+1x60']],
    silent: [['tillgraph_requests_rejected_total{error_type="NOT_FOUND"}', '0+9x60']],
  },
  TillgraphSlowLoop: {
    fires: [['nodejs_eventloop_delay_p99', '0.3x60']],
    silent: [['nodejs_eventloop_delay_p99', '0.05x60']],
  },
  TillgraphMemory: {
    fires: [['process_memory_usage', '700000000x60']],
    silent: [['process_memory_usage', '300000000x60']],
  },
  TillgraphTelemetryDropped: {
    fires: [['otel_sdk_processor_span_processed_total{error_type="queue_full"}', '0+5x60']],
    silent: [['otel_sdk_processor_span_processed_total', '0+5x60']],
  },
};

type Series = readonly [series: string, values: string];

test.skipIf(!hasPromtool)(`every alert fires when it should, and is silent otherwise${why}`, () => {
  const { groups } = parse(readFileSync(rules, 'utf8'));
  expect(Object.keys(cases)).toEqual(groups[0].rules.map(({ alert }: { alert: string }) => alert));
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const minutes = 40;
  const tests = Object.entries(cases).flatMap(([alert, { fires, silent }]) =>
    [fires, silent].map((given, index) => ({
      interval: '1m',
      input_series: given.map(([series, values]) => ({ series, values })),
      alert_rule_test: [],
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
          eval_time: `${minutes}m`,
          exp_samples: index === 0 ? [{ labels: '{}', value: 1 }] : [],
        },
      ],
    })),
  );
  const file = join(folder, 'alerts.test.yaml');
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', file]);
  expect([String(stderr), String(stdout), status]).toEqual([
    '',
    expect.stringContaining('SUCCESS'),
    0,
  ]);
});

test.skipIf(!hasPromtool)(`promtool finds nothing wrong with the example of a scrape${why}`, () => {
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = readFileSync(join(projectFolder, 'deploy/prometheus/scrape.yaml'), 'utf8');
  const file = join(folder, 'scrape.yaml');
  // Debian's Prometheus is built without Kubernetes.
  const discovery = /kubernetes_sd_configs:\n +- role: pod\n/;
  expect(text).toMatch(discovery);
  writeFileSync(file, text.replace(discovery, 'static_configs: []\n'));
  const { stderr, status } = spawnSync('promtool', ['check', 'config', '--syntax-only', file]);
  expect([String(stderr), status]).toEqual(['', 0]);
});

test.skipIf(!hasPromtool)(`every expression of the dashboard is one of Prometheus${why}`, () => {
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const recorded = panels.flatMap(({ targets }: { targets: { expr: string }[] }, panel: number) =>
    targets.map(({ expr }, line) => ({
      record: `panel:${panel}:${line}`,
      // As Grafana replaces them.
      expr: expr.replaceAll('$__rate_interval', '2m').replaceAll('$instance', '.*'),
    })),
  );
  const groups = recorded.map((rule: object, index: number) => ({
    name: `${index}`,
    rules: [rule],
  }));
  expect(groups.length).toBeGreaterThan(panels.length);
  const file = join(folder, 'dashboard.yaml');
  writeFileSync(file, JSON.stringify({ groups }));
  const { stdout, stderr, status } = spawnSync('promtool', ['check', 'rules', file]);
  expect([String(stderr), String(stdout), status]).toEqual([
    '',
    expect.stringContaining('SUCCESS'),
    0,
  ]);
});
