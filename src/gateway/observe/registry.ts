import { type Instrument, seriesOf } from './instrument.ts';

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

/** An instrument with all its series. */
export interface Metric {
  readonly instrument: Instrument;
  readonly series: readonly Series[];
}

/** A value that is read when the metrics are collected. */
export type Reading = readonly [value: number, ...attributes: Values];

/** Counts, and keeps the number of series within a bound. */
export interface Registry {
  /** Adds to a counter, or a value to a histogram. */
  add(instrument: Instrument, value: number, ...attributes: Values): void;
  /** Reads an instrument at each collection. A counter that is read shows a sum. */
  observe(instrument: Instrument, read: () => Iterable<Reading> | Promise<Iterable<Reading>>): void;
  /** All metrics as they are now. What cannot be read is left out. */
  collect(): Promise<Metric[]>;
  /** How many series there are. */
  count(): number;
}

/** Prometheus keeps every series of every gateway in memory. */
export const MAX_SERIES = 2_000;
/** The attribute that OpenTelemetry gives to the series of all that is too much. */
const OVERFLOW = { 'otel.metric.overflow': 'true' };

/** Creates a registry for these instruments. */
export function createRegistry(
  instruments: readonly Instrument[],
  maxSeries: number = MAX_SERIES,
): Registry {
  const known = new Map(
    instruments.map((instrument) => [instrument, new Map<string, Series>()] as const),
  );
  const readers = new Map<Instrument, () => Iterable<Reading> | Promise<Iterable<Reading>>>();
  // Each instrument can need a series for what is too much.
  let used = instruments.reduce((sum, instrument) => sum + seriesOf(instrument), 0);

  function find(instrument: Instrument, values: Values): Series {
    const all = known.get(instrument);
    if (all === undefined) throw new Error(`${instrument.name} is not in the list of metrics.`);
    let key = '';
    for (const value of values) key += value === undefined ? '|' : `|${value}`;
    return all.get(key) ?? create(instrument, all, key, values);
  }

  function create(
    instrument: Instrument,
    all: Map<string, Series>,
    key: string,
    values: Values,
  ): Series {
    const size = seriesOf(instrument);
    if (used + size > maxSeries) {
      const overflow = all.get('') ?? newSeries(instrument, OVERFLOW);
      all.set('', overflow);
      return overflow;
    }
    used += size;
    const created = newSeries(instrument, attributesOf(instrument, values));
    all.set(key, created);
    return created;
  }

  async function read(instrument: Instrument): Promise<void> {
    const readings = (await readers.get(instrument)?.()) ?? [];
    for (const series of known.get(instrument)?.values() ?? []) series.value = 0;
    for (const [value, ...values] of readings) find(instrument, values).value += value;
  }

  return {
    add: (instrument, value, ...values) => {
      const series = find(instrument, values);
      series.value += value;
      if (instrument.kind === 'histogram') {
        const index = instrument.bounds.findIndex((bound) => value <= bound);
        const bucket = index === -1 ? instrument.bounds.length : index;
        series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
      }
    },
    observe: (instrument, reader) => {
      readers.set(instrument, reader);
    },
    collect: async () => {
      const failed = new Set<Instrument>();
      // At the same time, because some wait for the database.
      const reads = [...readers.keys()].map((instrument) =>
        read(instrument).catch(() => failed.add(instrument)),
      );
      await Promise.all(reads);
      return [...known]
        .filter(([instrument]) => !failed.has(instrument))
        .map(([instrument, all]) => ({ instrument, series: [...all.values()] }))
        .filter(({ series }) => series.length > 0);
    },
    count: () =>
      [...known].reduce((sum, [instrument, all]) => sum + all.size * seriesOf(instrument), 0),
  };
}

function newSeries({ kind, bounds }: Instrument, attributes: Series['attributes']): Series {
  const size = kind === 'histogram' ? bounds.length + 1 : 0;
  return { attributes, value: 0, buckets: new Array<number>(size).fill(0) };
}

function attributesOf({ attributes }: Instrument, values: Values): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [index, name] of Object.keys(attributes).entries()) {
    const value = values[index];
    if (value !== undefined) given[name] = value;
  }
  return given;
}
