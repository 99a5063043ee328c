import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import type { Contestant } from './contestants.ts';
import { type Load, runLoad } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import { type Child, cpuMicrosOfAll, pinSelf } from './process.ts';
import { scenarios } from './scenarios.ts';
import { startUpstream } from './services/start-upstream.ts';

const SCENARIO = 'distinct-10';
/** Seconds with load for one gateway, then for the other one. */
const TURN_SECONDS = 1;
const TURNS = 6;
const CONNECTIONS = 32;
const VERIFIED = 100;

/** What a gateway cost. */
export interface Cost {
  readonly name: string;
  /** CPU time for a request, in microseconds, in each round. */
  readonly micros: readonly number[];
  /** The same in relation to the first gateway, which took turns with it. */
  readonly ratios: readonly number[];
}

/** A gateway that gets load. */
interface Runner {
  readonly child: Child;
  readonly load: Omit<Load, 'seconds'>;
}

/** Starts a gateway. */
type Start = (gateway: Contestant) => Promise<Runner>;

/**
 * Measures CPU time in pairs: in each round, every gateway takes turns of a second with the first
 * one, on the same core and with the same load. What slows the machine for longer slows both, and
 * neither takes the caches of the core from the other one, as they do if both work at the same
 * time. Every pair has new processes, because two processes of one program differ: V8 compiles each
 * in its own way.
 */
export async function measureCosts(
  gateways: readonly Contestant[],
  rounds: number,
  warmUpSeconds = 8,
): Promise<{ readonly title: string; readonly costs: readonly Cost[] }> {
  pinSelf();
  const scenario = scenarios.find(({ name }) => name === SCENARIO);
  if (scenario === undefined) throw new Error(`There is no scenario ${SCENARIO}.`);
  const postgres = await startPostgres();
  const upstream = await startUpstream(scenario);
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
  const file = join(folder, 'requests');
  writeRequests(file, scenario, 'tillgraph');
  const start: Start = async (gateway) => {
    const databaseUrl = await createDatabase(postgres.url);
    const child = await gateway.start({ upstreamUrl: upstream.url, databaseUrl });
    const lengths = await lengthsOf(child.url, file);
    return { child, load: { url: child.url, file, connections: CONNECTIONS, lengths } };
  };
  try {
    return { title: scenario.title, costs: await compare(gateways, rounds, warmUpSeconds, start) };
  } finally {
    await upstream.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(
  gateways: readonly Contestant[],
  rounds: number,
  warmUpSeconds: number,
  start: Start,
): Promise<Cost[]> {
  const [first, ...others] = gateways;
  if (first === undefined) throw new Error('There is nothing to measure.');
  const base = { name: first.name, micros: [] as number[], ratios: [] as number[] };
  const costs = others.map(({ name }) => ({
    name,
    micros: [] as number[],
    ratios: [] as number[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, other] of others.entries()) {
      // Neither is always the one that starts first.
      const isSwapped = round % 2 === 1;
      const pair = [await start(isSwapped ? other : first), await start(isSwapped ? first : other)];
      const micros = await measure(pair, warmUpSeconds);
      for (const { child } of pair) await child.stop();
      const [own = 0, cost = 0] = isSwapped ? micros.toReversed() : micros;
      base.micros.push(own);
      costs[index]?.micros.push(cost);
      costs[index]?.ratios.push(cost / own);
    }
  }
  return [base, ...costs];
}

/**
 * Sends load to gateways in turns. Returns the CPU time of each for a request, with what it does
 * during the turns of the other one, such as the export of spans.
 */
async function measure(runners: readonly Runner[], warmUpSeconds: number): Promise<number[]> {
  for (const { load } of runners) await runLoad({ ...load, seconds: warmUpSeconds });
  const totals = runners.map(({ child, load }) => {
    return { load, pid: child.pid, before: cpuMicrosOfAll(child.pid), requests: 0 };
  });
  for (let turn = 0; turn < TURNS; turn++) {
    // The one that was last is first in the next turn, so neither is always later.
    for (const total of turn % 2 === 0 ? totals : totals.toReversed()) {
      const { requests, wrong, errors } = await runLoad({ ...total.load, seconds: TURN_SECONDS });
      if (wrong + errors > 0) throw new Error(`${wrong + errors} wrong answers`);
      total.requests += requests;
    }
  }
  return totals.map(({ pid, before, requests }) => (cpuMicrosOfAll(pid) - before) / requests);
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

/** A table in Markdown that compares costs with the first one, pair by pair. */
export function costTable(what: string, costs: readonly Cost[]): string {
  const rows = costs.map(({ name, micros, ratios }) => {
    const cpu = quantile(micros, 0.5).toFixed(1);
    if (ratios.length === 0) return `| ${name} | ${cpu} | | |`;
    const [least, middle, most] = [0.25, 0.5, 0.75].map((share) =>
      ((quantile(ratios, share) - 1) * 100).toFixed(1),
    );
    return `| ${name} | ${cpu} | ${middle} % | ${least} to ${most} % |`;
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
