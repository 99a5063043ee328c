import { type Instrument, seriesOf } from './instrument.ts';
import { OwnSeries, type Series } from './series.ts';
import { createSeriesList, type SeriesList, type Values } from './series-list.ts';

/** An instrument with all its series. */
export interface Metric {
  readonly instrument: Instrument;
  readonly series: readonly Series[];
}

/** A value that is read when the metrics are collected. */
export type Reading = readonly [value: number, ...attributes: Values];

/** Counts, and keeps the number of series within a bound. */
export interface Registry {
  /**
   * Returns the series with these attributes, and creates it if there is none, or the series of all
   * that is too much. It stays the same, so callers may keep it instead of searching for it again.
   */
  find(instrument: Instrument, ...attributes: Values): OwnSeries;
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
/** The values that find this series. No attribute has this value. */
const TOO_MUCH: Values = ['otel.metric.overflow'];

/** Creates a registry for these instruments. */
export function createRegistry(
  instruments: readonly Instrument[],
  maxSeries: number = MAX_SERIES,
): Registry {
  const known = new Map(instruments.map((instrument) => [instrument, createSeriesList()] as const));
  const readers = new Map<Instrument, () => Iterable<Reading> | Promise<Iterable<Reading>>>();
  // Each instrument can need a series for what is too much.
  let used = instruments.reduce((sum, instrument) => sum + seriesOf(instrument), 0);

  function find(instrument: Instrument, values: Values): OwnSeries {
    const list = known.get(instrument);
    if (list === undefined) throw new Error(`${instrument.name} is not in the list of metrics.`);
    return list.find(values) ?? create(instrument, list, values);
  }

  function create(instrument: Instrument, list: SeriesList, values: Values): OwnSeries {
    const size = seriesOf(instrument);
    if (used + size > maxSeries) {
      return list.find(TOO_MUCH) ?? list.add(TOO_MUCH, new OwnSeries(instrument, OVERFLOW));
    }
    used += size;
    return list.add(values, new OwnSeries(instrument, attributesOf(instrument, values)));
  }

  async function read(instrument: Instrument): Promise<void> {
    const readings = (await readers.get(instrument)?.()) ?? [];
    for (const series of known.get(instrument)?.all ?? []) series.value = 0;
    for (const [value, ...values] of readings) find(instrument, values).value += value;
  }

  return {
    find: (instrument, ...values) => find(instrument, values),
    add: (instrument, value, ...values) => find(instrument, values).add(value),
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
        .map(([instrument, { all }]) => ({ instrument, series: [...all] }))
        .filter(({ series }) => series.length > 0);
    },
    count: () =>
      [...known].reduce((sum, [instrument, { all }]) => sum + all.length * seriesOf(instrument), 0),
  };
}

function attributesOf({ attributes }: Instrument, values: Values): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [index, name] of Object.keys(attributes).entries()) {
    const value = values[index];
    if (value !== undefined) given[name] = value;
  }
  return given;
}
