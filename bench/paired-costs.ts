import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import type { Contestant } from './contestants.ts';
import { runLoad } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import { cpuMicrosOfAll, pinSelf } from './process.ts';
import { scenarios } from './scenarios.ts';
import { startUpstream } from './services/start-upstream.ts';

const SCENARIO = 'distinct-10';
const [SETTLE_SECONDS, TIMED_SECONDS] = [0.5, 2.5];
const CONNECTIONS = 32;
const VERIFIED = 100;

/** What a gateway cost. */
export interface Cost {
  readonly name: string;
  /** CPU time for a request, in microseconds, in each round. */
  readonly micros: readonly number[];
}

/**
 * Measures CPU time in paired rounds: in each round, every gateway gets the same load for the same
 * time. Gateways and their processes share one core, and the rest has the other one.
 */
export async function measureCosts(
  gateways: readonly Contestant[],
  rounds: number,
  warmUpSeconds = 6,
): Promise<{ readonly title: string; readonly costs: readonly Cost[] }> {
  pinSelf();
  const scenario = scenarios.find(({ name }) => name === SCENARIO);
  if (scenario === undefined) throw new Error(`There is no scenario ${SCENARIO}.`);
  const postgres = await startPostgres();
  const upstream = await startUpstream(scenario);
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
  const file = join(folder, 'requests');
  writeRequests(file, scenario, 'tillgraph');
  try {
    const runners = [];
    for (const gateway of gateways) {
      const databaseUrl = await createDatabase(postgres.url);
      const child = await gateway.start({ upstreamUrl: upstream.url, databaseUrl });
      const lengths = await lengthsOf(child.url, file);
      const load = { url: child.url, file, connections: CONNECTIONS, lengths };
      await runLoad({ ...load, seconds: warmUpSeconds });
      runners.push({ name: gateway.name, child, load, micros: [] as number[] });
    }
    for (let round = 0; round < rounds; round++) {
      // Each begins in turn, so that a change of the machine's speed cancels out.
      const first = round % runners.length;
      for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
        // A process that has waited for the others is slow at first.
        await runLoad({ ...runner.load, seconds: SETTLE_SECONDS });
        const before = cpuMicrosOfAll(runner.child.pid);
        const timed = await runLoad({ ...runner.load, seconds: TIMED_SECONDS });
        const { requests, wrong, errors } = timed;
        if (wrong + errors > 0) throw new Error(`${wrong + errors} wrong answers`);
        runner.micros.push((cpuMicrosOfAll(runner.child.pid) - before) / requests);
      }
    }
    for (const { child } of runners) await child.stop();
    return { title: scenario.title, costs: runners.map(({ name, micros }) => ({ name, micros })) };
  } finally {
    await upstream.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lengths of right answers. */
async function lengthsOf(url: string, file: string): Promise<number[]> {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, VERIFIED);
  const lengths = lines.map(async (line) => {
    const [authorization = '', body = ''] = line.split('\t');
    const headers = { 'content-type': 'application/json', authorization };
    const text = await (await fetch(url, { method: 'POST', headers, body })).text();
    if (text.includes('"errors"')) throw new Error(text);
    return Buffer.byteLength(text);
  });
  return [...new Set(await Promise.all(lengths))];
}

/** A table in Markdown that compares costs with the first one, round by round. */
export function costTable(what: string, costs: readonly Cost[]): string {
  const [base] = costs;
  const rows = costs.map(({ name, micros }) => {
    const more = micros.map((value, round) => (value / (base?.micros[round] ?? 1) - 1) * 100);
    const [least, middle, most] = [0.25, 0.5, 0.75].map((share) =>
      quantile(more, share).toFixed(1),
    );
    return `| ${name} | ${quantile(micros, 0.5).toFixed(1)} | ${middle} % | ${least} to ${most} % |`;
  });
  return [
    `| ${what} | CPU for a request, µs | more than the first, median of pairs | middle half |`,
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
