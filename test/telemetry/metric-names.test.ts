import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/gateway/telemetry/metrics.ts';
import { projectFolder } from '../support/program.ts';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');

/** The types of all metrics, by name, as Prometheus shows them if each has a value. */
async function readTypes(): Promise<ReadonlyMap<string, string>> {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [reader] });
  for (const metric of Object.values(createMetrics(meterProvider.getMeter('test')))) {
    if ('record' in metric) metric.record(1);
    else if ('add' in metric) metric.add(1);
    else metric.addCallback((result) => result.observe(1));
  }
  const exporter = new InMemorySpanExporter();
  const processor = new BatchSpanProcessor({ exporter, selfObsMeterProvider: meterProvider });
  const tracerProvider = new TracerProvider({ spanProcessors: [processor] });
  tracerProvider.getTracer('test').startSpan('any').end();
  await tracerProvider.forceFlush();
  const { resourceMetrics } = await reader.collect();
  const text = new PrometheusSerializer().serialize(resourceMetrics);
  return new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
}

const types = await readTypes();

test('docs/observe.md has each metric, and no other', () => {
  const documented = [...read('docs/observe.md').matchAll(/^- `[\w.]+` \(`(\w+)`, an? /gm)].map(
    ([, name]) => name,
  );
  const undocumented = ['target_info', /^otel_sdk_processor_span_queue_/];
  const expected = [...types.keys()].filter(
    (name) => !undocumented.some((each) => name.match(each)),
  );
  expect(documented.toSorted()).toEqual(expected.toSorted());
});

test.each([
  [
    'deploy/prometheus/alerts.yaml',
    parse(read('deploy/prometheus/alerts.yaml')).groups[0].rules as readonly { expr: string }[],
  ],
  [
    'deploy/grafana/dashboard.json',
    JSON.parse(read('deploy/grafana/dashboard.json')).panels.flatMap(
      ({ targets }: { targets: readonly { expr: string }[] }) => targets,
    ) as readonly { expr: string }[],
  ],
])('each metric of %s exists', (_path, targets) => {
  const named = targets.flatMap(({ expr }) => {
    const withoutLabels = expr.replaceAll(/\bby \([^)]*\)|\{[^}]*\}/g, '');
    return withoutLabels.match(/\b(?!histogram_)[a-z]+_\w+/g) ?? [];
  });
  expect(named.length).toBeGreaterThan(10);
  const series = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  for (const name of named) expect(series).toContain(name);
});
