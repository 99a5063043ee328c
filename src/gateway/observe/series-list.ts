import type { OwnSeries } from './series.ts';

/**
 * The value of each attribute of an instrument, in its order. Undefined ones are left out. Those
 * at the end may be missing.
 */
export type Values = readonly (string | undefined)[];

/** The series of one instrument. */
export interface SeriesList {
  /** In the order in which they were added. */
  readonly all: readonly OwnSeries[];
  find(values: Values): OwnSeries | undefined;
  /** Returns the series. */
  add(values: Values, series: OwnSeries): OwnSeries;
}

interface Entry {
  readonly values: Values;
  readonly series: OwnSeries;
}

/**
 * Creates an empty list. It compares its series one after another: callers keep the series that
 * most figures belong to, and the limit on series bounds the list. A histogram has about 100.
 */
export function createSeriesList(): SeriesList {
  const all: OwnSeries[] = [];
  const entries: Entry[] = [];
  return {
    all,
    find: (values) => {
      for (const entry of entries) if (areSame(entry.values, values)) return entry.series;
      return undefined;
    },
    add: (values, series) => {
      entries.push({ values, series });
      all.push(series);
      return series;
    },
  };
}

function areSame(some: Values, others: Values): boolean {
  const length = Math.max(some.length, others.length);
  for (let at = 0; at < length; at++) if (some[at] !== others[at]) return false;
  return true;
}
