import { metrics } from '../gateway/observe/metrics.ts';
import type { Metric } from '../gateway/observe/registry.ts';
import type { SentMetric } from './contract.ts';

/** The attribute that tells the series of one worker from those of another one. */
const WORKER = 'tillgraph.worker';

/** Joins the metrics of workers: each series gets the number of its worker. */
export function joinMetrics(workers: ReadonlyMap<number, readonly SentMetric[]>): Metric[] {
  const series = new Map<string, Metric['series'][number][]>();
  for (const [number, sent] of workers) {
    for (const { name, series: own } of sent) {
      const all = series.get(name) ?? [];
      series.set(name, all);
      for (const each of own) {
        all.push({ ...each, attributes: { ...each.attributes, [WORKER]: String(number) } });
      }
    }
  }
  return metrics.flatMap((instrument) => {
    const joined = series.get(instrument.name);
    return joined === undefined ? [] : [{ instrument, series: joined }];
  });
}
