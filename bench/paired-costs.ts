import type { Contestant } from './contestants.ts';
import { withCostSetup } from './cost-setup.ts';
import { type Load, runLoad } from './load/run-load.ts';
import { type Child, cpuMicrosOfAll } from './process.ts';
import { quantile } from './quantile.ts';

/** Seconds with load for one gateway, then for the other one. */
const TURN_SECONDS = 1;
const TURNS = 6;

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
  warmUpSeconds: number,
): Promise<{ readonly title: string; readonly costs: readonly Cost[] }> {
  return withCostSetup(async ({ title, newSurroundings, loadOf }) => {
    const start: Start = async (gateway) => {
      const child = await gateway.start(await newSurroundings());
      return { child, load: await loadOf(child.url) };
    };
    return { title, costs: await compare(gateways, rounds, warmUpSeconds, start) };
  });
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
 * during the turns of the other one.
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
