import type { LoadResult } from './load/run-load.ts';

/** A contestant in a scenario: what was measured, or why it does not take part. */
export type Row = Measured | Absent;

/** A contestant that does not take part. */
export interface Absent {
  readonly contestant: string;
  readonly reason: string;
}

/** What was measured of a contestant in a scenario: means of the rounds. */
export interface Measured {
  readonly contestant: string;
  readonly requestsPerSecond: number;
  /** Of the requests per second of the hand-written handler in the same round. */
  readonly ratio: number | null;
  /** How far the rounds are apart, as a share of the mean; null if there is one only. */
  readonly spread: number | null;
  /** Requests per second after two seconds of load, as a share of those of the rounds. */
  readonly early: number;
  /** Milliseconds in the closed loop. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds at 70 % load; null if not measured. */
  readonly paced: { readonly p50: number; readonly p99: number } | null;
  readonly callsPerRequest: number;
  /** CPU time of the contestant for a request, in microseconds. */
  readonly cpuMicros: number;
  readonly peakMegabytes: number;
}

/** One timed run. */
export interface Round extends LoadResult {
  readonly requestsPerSecond: number;
  readonly cpuMicros: number;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The means of rounds, in which the reference ran too. */
export function summarize(rounds: readonly Round[], reference: readonly Round[] | undefined) {
  const speeds = rounds.map(({ requestsPerSecond }) => requestsPerSecond);
  const average = mean(speeds);
  const ratios = reference?.map((one, index) => (speeds[index] ?? 0) / one.requestsPerSecond);
  return {
    requestsPerSecond: average,
    ratio: ratios === undefined ? null : mean(ratios),
    spread: rounds.length < 2 ? null : (Math.max(...speeds) - Math.min(...speeds)) / average,
    p50: mean(rounds.map(({ p50 }) => p50)),
    p99: mean(rounds.map(({ p99 }) => p99)),
    cpuMicros: mean(rounds.map(({ cpuMicros }) => cpuMicros)),
  };
}
