import type { Instrument } from './instrument.ts';

/** One combination of attributes, with what was counted for it. */
export interface Series {
  readonly attributes: Readonly<Record<string, string>>;
  /** The sum, or the value. */
  readonly value: number;
  /** Of a histogram: how many values each bucket has, and the last one those above all bounds. */
  readonly buckets: readonly number[];
}

/** A series that this process adds to. */
export class OwnSeries implements Series {
  readonly attributes: Series['attributes'];
  value = 0;
  readonly buckets: number[];
  readonly #bounds: readonly number[];

  constructor({ kind, bounds }: Instrument, attributes: Series['attributes']) {
    this.attributes = attributes;
    this.#bounds = bounds;
    this.buckets = new Array<number>(kind === 'histogram' ? bounds.length + 1 : 0).fill(0);
  }

  /** Adds to a counter, or a value to a histogram. */
  add(value: number): void {
    const { buckets } = this;
    this.value += value;
    // A counter has none.
    if (buckets.length === 0) return;
    let bucket = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      bucket++;
    }
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
}
