/** The value of each attribute of an instrument, in its order. Undefined ones are left out. */
export type Values = readonly (string | undefined)[];

/** One combination of attributes, with what was counted for it. */
export interface Series {
  readonly attributes: Readonly<Record<string, string>>;
  /** The sum, or the value. */
  value: number;
  /** Of a histogram: how many values each bucket has, and the last one those above all bounds. */
  readonly buckets: number[];
}

/** The series of one instrument. */
export interface SeriesTree {
  readonly all: readonly Series[];
  find(values: Values): Series | undefined;
  /** Returns the series. */
  add(values: Values, series: Series): Series;
}

/** Where the values of the first attributes lead to. */
interface Branch {
  readonly next: Map<string | undefined, Branch>;
  series: Series | undefined;
}

const newBranch = (): Branch => ({ next: new Map(), series: undefined });

/**
 * Creates an empty tree, with one level for each attribute. A single map would need a key made
 * of all values for each figure, which costs more than the rest of what metrics do.
 */
export function createSeriesTree(): SeriesTree {
  const root = newBranch();
  const all: Series[] = [];
  return {
    all,
    find: (values) => {
      let branch: Branch | undefined = root;
      for (const value of values) branch = branch?.next.get(value);
      return branch?.series;
    },
    add: (values, series) => {
      let branch = root;
      for (const value of values) {
        const next = branch.next.get(value) ?? newBranch();
        branch.next.set(value, next);
        branch = next;
      }
      branch.series = series;
      all.push(series);
      return series;
    },
  };
}
