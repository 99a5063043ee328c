import type { Row } from './run-scenario.ts';

const columns = [
  'contestant',
  'req/s',
  'ratio',
  'spread',
  'p50 ms',
  'p99 ms',
  'calls',
  'CPU µs',
  'MB',
];

/** The head of a table of rows. */
export const tableHead = `| ${columns.join(' | ')} |\n|---|${'---:|'.repeat(columns.length - 1)}`;

/** A row as Markdown. */
export function printRow(row: Row): string {
  if ('reason' in row)
    return `| ${row.contestant} | ${row.reason} |${' |'.repeat(columns.length - 2)}`;
  const { spread } = row;
  const cells = [
    row.contestant,
    Math.round(row.requestsPerSecond).toLocaleString('en'),
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    `${Math.round(spread * 100)} %${spread > MAX_SPREAD ? ' !' : ''}`,
    row.p50.toFixed(2),
    row.p99.toFixed(2),
    row.callsPerRequest.toFixed(2),
    row.cpuMicros.toFixed(0),
    row.peakMegabytes.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** A row with more is marked. */
const MAX_SPREAD = 0.15;
