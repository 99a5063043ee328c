import type { Contestant } from './contestants.ts';
import { withCostSetup } from './cost-setup.ts';
import { type Load, runLoad } from './load/run-load.ts';
import { bindChildren, type Child, cpuMicrosOfAll, type Place } from './process.ts';
import { quantile } from './quantile.ts';

/** Seconds with load for one candidate, then for the other one. */
const TURN_SECONDS = 1;
const TURNS = 6;
/** Connections for each process. */
const CONNECTIONS = 16;
/** Each process gets the same share of its load from each of these. */
const LOAD_CORES = ['contestant', 'rest'] as const;

/** What is measured: processes that each have a core. */
export interface Candidate {
  readonly gateway: Contestant;
  readonly cores: readonly Place[];
  /** Whether the processes are workers of one gateway, and not gateways of their own. */
  readonly isOneGateway?: boolean;
}

/** What a candidate cost. */
export interface Cost {
  readonly name: string;
  /** What requests cost in each round. */
  readonly rounds: readonly Round[];
  /** CPU time for a request in relation to the first candidate, which took turns with it. */
  readonly ratios: readonly number[];
}

/** What a round showed. */
export interface Round {
  /** CPU time for a request, in microseconds. */
  readonly micros: number;
  readonly requestsPerSecond: number;
}

/** A candidate that gets load. */
interface Runner {
  readonly children: readonly Child[];
  readonly loads: readonly Omit<Load, 'seconds'>[];
}

/** Starts a candidate. */
type Start = (candidate: Candidate) => Promise<Runner>;

/**
 * Measures CPU time in pairs: in each round, every candidate takes turns of a second with the first
 * one. What slows the machine for longer slows both, and neither takes the caches of a core from
 * the other one, as they do if both work at the same time. Every pair has new processes, because
 * two processes of one program differ: V8 compiles each in its own way.
 */
export async function measureCosts(
  candidates: readonly Candidate[],
  rounds: number,
  warmUpSeconds: number,
): Promise<{ readonly title: string; readonly costs: readonly Cost[] }> {
  return withCostSetup(async ({ title, newSurroundings, loadOf }) => {
    const start: Start = async ({ gateway, cores, isOneGateway = false }) => {
      const children: Child[] = [];
      for (const place of isOneGateway ? (['both'] as const) : cores) {
        children.push(await gateway.start({ ...(await newSurroundings()), place }));
      }
      if (isOneGateway) for (const { pid } of children) bindChildren(pid, cores);
      const connections = (CONNECTIONS * cores.length) / children.length / LOAD_CORES.length;
      const loads = children.map(async ({ url }) => {
        const load = await loadOf(url);
        return LOAD_CORES.map((place) => ({ ...load, connections, place }));
      });
      return { children, loads: (await Promise.all(loads)).flat() };
    };
    return { title, costs: await compare(candidates, rounds, warmUpSeconds, start) };
  }, 'both');
}

async function compare(
  candidates: readonly Candidate[],
  rounds: number,
  warmUpSeconds: number,
  start: Start,
): Promise<Cost[]> {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error('There is nothing to measure.');
  const costs = candidates.map(({ gateway: { name } }) => ({
    name,
    rounds: [] as Round[],
    ratios: [] as number[],
  }));
  const [base, ...further] = costs;
  for (let round = 0; round < rounds; round++) {
    for (const [index, other] of others.entries()) {
      // Neither is always the one that starts first.
      const isSwapped = round % 2 === 1;
      const pair = [await start(isSwapped ? other : first), await start(isSwapped ? first : other)];
      const measured = await measure(pair, warmUpSeconds);
      for (const { children } of pair) for (const child of children) await child.stop();
      const [own, cost] = isSwapped ? measured.toReversed() : measured;
      if (own === undefined || cost === undefined) throw new Error('A pair has two candidates.');
      base?.rounds.push(own);
      further[index]?.rounds.push(cost);
      further[index]?.ratios.push(cost.micros / own.micros);
    }
  }
  return costs;
}

/**
 * Sends load to candidates in turns. The CPU time of each contains what it does during the turns of
 * the other one.
 */
async function measure(pair: readonly Runner[], warmUpSeconds: number): Promise<Round[]> {
  for (const { loads } of pair) await runLoads(loads, warmUpSeconds);
  const totals = pair.map((runner) => ({ runner, before: cpuMicrosOf(runner), requests: 0 }));
  for (let turn = 0; turn < TURNS; turn++) {
    // The one that was last is first in the next turn, so neither is always later.
    for (const total of turn % 2 === 0 ? totals : totals.toReversed()) {
      total.requests += await runLoads(total.runner.loads, TURN_SECONDS);
    }
  }
  return totals.map(({ runner, before, requests }) => ({
    micros: (cpuMicrosOf(runner) - before) / requests,
    requestsPerSecond: requests / (TURNS * TURN_SECONDS),
  }));
}

/** Sends all loads at the same time, and returns how many requests were answered. */
async function runLoads(loads: readonly Omit<Load, 'seconds'>[], seconds: number): Promise<number> {
  const results = await Promise.all(loads.map((load) => runLoad({ ...load, seconds })));
  return results.reduce((sum, { requests, wrong, errors }) => {
    if (wrong + errors > 0) throw new Error(`${wrong + errors} wrong answers`);
    return sum + requests;
  }, 0);
}

function cpuMicrosOf({ children }: Runner): number {
  return children.reduce((sum, { pid }) => sum + cpuMicrosOfAll(pid), 0);
}

/** A table in Markdown that compares costs with the first one, pair by pair. */
export function costTable(what: string, costs: readonly Cost[]): string {
  const rows = costs.map(({ name, rounds, ratios }) => {
    const cpu = medianOf(rounds, 'micros').toFixed(1);
    const rate = medianOf(rounds, 'requestsPerSecond').toFixed(0);
    if (ratios.length === 0) return `| ${name} | ${rate} | ${cpu} | | |`;
    const [least, middle, most] = [0.25, 0.5, 0.75].map((share) =>
      ((quantile(ratios, share) - 1) * 100).toFixed(1),
    );
    return `| ${name} | ${rate} | ${cpu} | ${middle} % | ${least} to ${most} % |`;
  });
  const columns = [
    ...[what, 'requests per second', 'CPU for a request, µs'],
    ...['more than the first, median of pairs', 'middle half'],
  ];
  return [`| ${columns.join(' | ')} |`, '|---|---:|---|---|---|', ...rows].join('\n');
}

function medianOf(rounds: readonly Round[], key: keyof Round): number {
  return quantile(
    rounds.map((round) => round[key]),
    0.5,
  );
}
