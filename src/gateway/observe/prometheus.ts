import type { Instrument } from './instrument.ts';
import type { Metric } from './registry.ts';
import type { Series } from './series.ts';

/** The media type of the text that {@link toPrometheus} returns. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Shows metrics as Prometheus reads them. */
export function toPrometheus(metrics: readonly Metric[]): string {
  return metrics.map(({ instrument, series }) => showMetric(instrument, series)).join('');
}

/** The name of an instrument in Prometheus: `graphql_server_request_duration_seconds`. */
export function prometheusName({ name, unit, kind }: Instrument): string {
  const words = name.replaceAll('.', '_');
  const inUnit = { s: `${words}_seconds`, By: `${words}_bytes` }[unit] ?? words;
  return kind === 'counter' ? `${inUnit}_total` : inUnit;
}

function prometheusType({ kind }: Instrument): string {
  return kind === 'upDownCounter' ? 'gauge' : kind;
}

function showMetric(instrument: Instrument, series: readonly Series[]): string {
  const name = prometheusName(instrument);
  const lines = [
    `# HELP ${name} ${instrument.description.replaceAll('\\', '\\\\')}`,
    `# TYPE ${name} ${prometheusType(instrument)}`,
    ...series.flatMap((each) =>
      instrument.kind === 'histogram'
        ? showHistogram(name, instrument.bounds, each)
        : [`${name}${showLabels(each.attributes)} ${each.value}`],
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function showHistogram(name: string, bounds: readonly number[], series: Series): string[] {
  let count = 0;
  const buckets = series.buckets.map((values, index) => {
    count += values;
    const le = index < bounds.length ? String(bounds[index]) : '+Inf';
    return `${name}_bucket${showLabels({ ...series.attributes, le })} ${count}`;
  });
  const labels = showLabels(series.attributes);
  return [...buckets, `${name}_sum${labels} ${series.value}`, `${name}_count${labels} ${count}`];
}

function showLabels(attributes: Readonly<Record<string, string>>): string {
  const labels = Object.entries(attributes).map(
    ([name, value]) => `${name.replaceAll('.', '_')}="${escapeValue(value)}"`,
  );
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
