/** A metric as it is declared: once, for the gateway, the documentation and the dashboard. */
export interface Instrument {
  readonly kind: 'counter' | 'upDownCounter' | 'gauge' | 'histogram';
  /** In the style of OpenTelemetry: words with points between them. */
  readonly name: string;
  /** In UCUM: `s`, `By`, or what is counted in braces. */
  readonly unit: string;
  /** What it measures, as a sentence. */
  readonly description: string;
  /** What its figures do not mean, as a sentence. */
  readonly caution: string;
  /** The name of each attribute, and its possible values as a phrase. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The upper bounds of a histogram's buckets. */
  readonly bounds: readonly number[];
}

type Declared = Omit<Instrument, 'kind' | 'bounds' | 'attributes'> &
  Partial<Pick<Instrument, 'attributes'>>;

/** Declares a sum that only grows. */
export function counter({ attributes = {}, ...declared }: Declared): Instrument {
  return { ...declared, attributes, kind: 'counter', bounds: [] };
}

/** Declares a number of things that come and go, which several gateways can add up. */
export function upDownCounter({ attributes = {}, ...declared }: Declared): Instrument {
  return { ...declared, attributes, kind: 'upDownCounter', bounds: [] };
}

/** Declares a value that is read when the metrics are collected. */
export function gauge({ attributes = {}, ...declared }: Declared): Instrument {
  return { ...declared, attributes, kind: 'gauge', bounds: [] };
}

/** Declares a distribution. */
export function histogram(
  bounds: readonly number[],
  { attributes = {}, ...declared }: Declared,
): Instrument {
  return { ...declared, attributes, kind: 'histogram', bounds };
}

/** How many series Prometheus keeps of one combination of attributes. */
export function seriesOf({ kind, bounds }: Instrument): number {
  // A bucket without a bound, the sum and the count.
  return kind === 'histogram' ? bounds.length + 3 : 1;
}
