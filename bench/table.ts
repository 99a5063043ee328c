import type { Row } from './row.ts';

const columns = [
  ...[
    'contestant',
    'req/s',
    'ratio',
    'spread',
    'at 2 s',
    'p50 ms',
    'p99 ms',
    'p50 at 70 %',
    'p99 at 70 %',
  ],
  ...['calls', 'CPU µs', 'MB'],
];

/** A row with more is marked. */
const MAX_SPREAD = 0.15;

/** The head of a table of rows. */
export const tableHead = `| ${columns.join(' | ')} |\n|---|${'---:|'.repeat(columns.length - 1)}`;

/** A row as Markdown. */
export function printRow(row: Row): string {
  if ('reason' in row) {
    return `| ${row.contestant} | ${row.reason} |${' |'.repeat(columns.length - 2)}`;
  }
  const { spread, paced } = row;
  const cells = [
    row.contestant,
    Math.round(row.requestsPerSecond).toLocaleString('en'),
    row.ratio?.toFixed(2) ?? '',
    spread === null ? '' : printSpread(spread),
    row.early.toFixed(2),
    row.p50.toFixed(2),
    row.p99.toFixed(2),
    paced?.p50.toFixed(2) ?? '',
    paced?.p99.toFixed(2) ?? '',
    row.callsPerRequest.toFixed(2),
    row.cpuMicros.toFixed(0),
    row.peakMegabytes.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function printSpread(spread: number): string {
  return `${Math.round(spread * 100)} %${spread > MAX_SPREAD ? ' !' : ''}`;
}
