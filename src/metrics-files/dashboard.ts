import * as metrics from '../gateway/observe/metrics.ts';
import { prometheusName as nameOf } from '../gateway/observe/prometheus.ts';
import { panels } from './dashboard-panels.ts';

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
      list: [
        { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          name: 'instance',
          label: 'Gateway',
          type: 'query',
          datasource: source,
          query: `label_values(${nameOf(metrics.build)}, instance)`,
          refresh: 2,
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: panels.map(({ title, unit, about, lines }, index) => ({
      id: index + 1,
      title,
      description: `${about.description} ${about.caution}`,
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
