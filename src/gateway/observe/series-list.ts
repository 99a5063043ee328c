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
 * Creates an empty list. Nearly all figures belong to a few series, so those that are used most
 * are compared first. Maps would cost more: one for each attribute, or a key made of all values.
 * The limit on series bounds the list: a histogram has about 100.
 */
export function createSeriesList(): SeriesList {
  const all: OwnSeries[] = [];
  const entries: Entry[] = [];
  return {
    all,
    find: (values) => {
      let before: Entry | undefined;
      for (let at = 0; at < entries.length; at++) {
        const entry = entries[at];
        if (entry !== undefined && areSame(entry.values, values)) {
          // Those that are used most move to the front, one place at a time.
          if (before !== undefined) {
            entries[at] = before;
            entries[at - 1] = entry;
          }
          return entry.series;
        }
        before = entry;
      }
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
