import type { Contestant } from './contestants.ts';
import { fitExponent, fitLine, type Point } from './fit.ts';
import type { Row } from './row.ts';
import { type Plan, runScenario } from './run-scenario.ts';
import { KEYS, merchantRequest, range, type Scenario } from './scenarios.ts';

/** How the cost of a request grows with something. */
interface Axis {
  readonly name: string;
  readonly title: string;
  readonly values: readonly number[];
  readonly scenario: (value: number) => Partial<Scenario>;
}

/** The rows of an axis, one list for each of its values. */
export interface Growth {
  readonly name: string;
  readonly title: string;
  readonly points: readonly { readonly value: number; readonly rows: readonly Row[] }[];
}

/** The names of the contestants whose growth is measured. */
export const growing = ['tillgraph', 'hand-written', 'mercurius', 'yoga'];

const usualGrowth: Plan = {
  ...{ coldSeconds: 1, warmUpSeconds: 1 },
  ...{ rounds: 1, settleSeconds: 0, timedSeconds: 3, pacedSeconds: 0 },
  verifiedRequests: 200,
};
const quickGrowth: Plan = { ...usualGrowth, timedSeconds: 1, verifiedRequests: 50 };
const ITEMS = 10;
const requests = (first: number) => range(KEYS, (index) => merchantRequest(index, first));

const axes: readonly Axis[] = [
  {
    name: 'items',
    title: 'items of a list',
    values: [1, 5, 10, 20, 50, 100],
    scenario: (items) => ({ requests: requests(items) }),
  },
  {
    name: 'nesting',
    title: 'levels of nesting, each a merchant and its newest transaction',
    values: [1, 2, 3, 4, 5],
    scenario: (depth) => ({
      requests: requests(1).map((request) => ({ ...request, ask: { ...request.ask, depth } })),
    }),
  },
  {
    name: 'documents',
    title: 'documents',
    values: [1, 10, 100, 1_000, 10_000],
    scenario: (documents) => ({
      requests: range(Math.max(documents, KEYS), (index) => ({
        ...merchantRequest(index % KEYS, ITEMS),
        document: index % documents,
      })),
    }),
  },
  {
    name: 'concurrency',
    title: 'connections',
    values: [1, 8, 32, 128, 512],
    scenario: (connections) => ({ connections }),
  },
  {
    name: 'latency',
    title: 'milliseconds that the upstream takes',
    values: [0, 10, 50, 200],
    scenario: (latencyMs) => ({ latencyMs, connections: 128 }),
  },
];

/** Measures every axis, and reports each when it is done. */
export async function runGrowth(
  chosen: readonly Contestant[],
  { serverUrl, isQuick }: { readonly serverUrl: string; readonly isQuick: boolean },
  report: (growth: Growth) => void,
): Promise<Growth[]> {
  const plan = isQuick ? quickGrowth : usualGrowth;
  const all: Growth[] = [];
  for (const { name, title, values, scenario } of axes) {
    const points: Growth['points'][number][] = [];
    for (const value of values) {
      const usual = { name, title, requests: requests(ITEMS), calls: 2 };
      const { rows } = await runScenario({ ...usual, ...scenario(value) }, chosen, serverUrl, plan);
      points.push({ value, rows });
    }
    const growth = { name, title, points };
    all.push(growth);
    report(growth);
  }
  return all;
}

/** The tables of an axis as Markdown: CPU time, requests per second, and the fit over items. */
export function printGrowth(growth: Growth): string {
  const { title, points } = growth;
  const names = [...new Set(points.flatMap(({ rows }) => rows.map((row) => row.contestant)))];
  const head = `| ${title} | ${names.join(' | ')} |\n|---:|${'---:|'.repeat(names.length)}`;
  const lines = points.map(({ value, rows }) => {
    const cells = names.map((name) => cellOf(rows.find((row) => row.contestant === name)));
    return `| ${value.toLocaleString('en')} | ${cells.join(' | ')} |`;
  });
  const table = `${head}\n${lines.join('\n')}\n`;
  return growth.name === 'items' ? `${table}\n${printFits(growth, names)}` : table;
}

function cellOf(row: Row | undefined): string {
  if (row === undefined) return '';
  if ('reason' in row) return row.reason;
  const { cpuMicros, requestsPerSecond } = row;
  return `${cpuMicros.toFixed(0)} µs, ${Math.round(requestsPerSecond).toLocaleString('en')}/s`;
}

/** CPU time against items: a line, and the exponent of growth. */
function printFits({ points }: Growth, names: readonly string[]): string {
  const lines = names.flatMap((name) => {
    const measured = points.flatMap(({ value, rows }): Point[] => {
      const row = rows.find((one) => one.contestant === name);
      return row === undefined || 'reason' in row ? [] : [{ x: value, y: row.cpuMicros }];
    });
    if (measured.length < 2 || measured.some(({ y }) => y <= 0)) return [];
    const { slope, intercept, rSquared } = fitLine(measured);
    const exponent = fitExponent(measured);
    const cells = [slope, intercept, rSquared, exponent].map((number) => number.toFixed(3));
    return [`| ${name} | ${cells.join(' | ')} |`];
  });
  return `| contestant | µs per item | µs without items | R² | exponent |\n|---|---:|---:|---:|---:|\n${lines.join('\n')}\n`;
}
