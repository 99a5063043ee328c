import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../test/support/postgres-server.ts';
import type { Contestant } from './contestants.ts';
import { runLoad } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import { type Child, cpuMicros, peakMegabytes } from './process.ts';
import { type Measured, type Round, type Row, summarize } from './row.ts';
import type { Scenario } from './scenarios.ts';
import { startBuiltIn } from './services/start-built-in.ts';
import { startUpstream } from './services/start-upstream.ts';
import { type Verified, verify } from './verify.ts';

/** How long a scenario is measured. */
export interface Plan {
  readonly rounds: number;
  /** From the first request to the second that shows how warm a contestant is. */
  readonly coldSeconds: number;
  /** From then to the first round, and before each round. */
  readonly warmUpSeconds: number;
  readonly settleSeconds: number;
  readonly timedSeconds: number;
  /** How long the latency at 70 % load is measured; 0 to leave it out. */
  readonly pacedSeconds: number;
  /** Requests whose answers are verified, and whose calls are counted. */
  readonly verifiedRequests: number;
}

/** The plan of the tables. */
export const usualPlan: Plan = {
  ...{ coldSeconds: 2, warmUpSeconds: 3 },
  ...{ rounds: 2, settleSeconds: 1, timedSeconds: 3, pacedSeconds: 4 },
  verifiedRequests: 1_000,
};

/** The plan of a first look. */
export const quickPlan: Plan = {
  ...{ coldSeconds: 1, warmUpSeconds: 0 },
  ...{ rounds: 1, settleSeconds: 0, timedSeconds: 3, pacedSeconds: 1 },
  verifiedRequests: 200,
};

/** The contestant that others are compared with. */
export const REFERENCE = 'hand-written';
const CONNECTIONS = 32;
const PACED_CONNECTIONS = 512;
const PACED_SHARE = 0.7;
/** Characters of a reason that are shown. */
const MAX_REASON = 300;

interface Runner {
  readonly contestant: Contestant;
  readonly child: Child;
  readonly verified: Verified;
  readonly file: string;
  /** Requests per second after the time of the plan. */
  early: number;
  readonly rounds: Round[];
}

/** A scenario with its rows. */
export interface Result {
  readonly upstream: string;
  readonly rows: readonly Row[];
}

/** Verifies the contestants in a scenario, and measures those whose answers are right. */
export async function runScenario(
  scenario: Scenario,
  chosen: readonly Contestant[],
  serverUrl: string,
  plan: Plan,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
  const upstream = await startUpstream(scenario);
  const rows: Row[] = [];
  const runners: Runner[] = [];
  try {
    for (const contestant of chosen.filter((one) => one.skips(scenario) === undefined)) {
      try {
        const place = { serverUrl, upstreamUrl: upstream.url, folder };
        runners.push(await prepare(contestant, scenario, plan, place));
      } catch (error) {
        rows.push({ contestant: contestant.name, reason: reasonOf(error) });
      }
    }
    for (const runner of runners) await warmUp(runner, scenario, plan);
    for (let round = 0; round < plan.rounds; round++) {
      for (const runner of runners) runner.rounds.push(await measure(runner, scenario, plan));
    }
    for (const runner of runners) rows.push(await toRow(runner, runners, plan));
    const order = chosen.map(({ name }) => name);
    rows.sort((a, b) => order.indexOf(a.contestant) - order.indexOf(b.contestant));
    return { upstream: upstream.name, rows };
  } finally {
    for (const { child } of runners) await child.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').slice(0, MAX_REASON);
}

interface Place {
  readonly serverUrl: string;
  readonly upstreamUrl: string;
  readonly folder: string;
}

/** Verifies a contestant in front of the counting upstream, then starts it to be measured. */
async function prepare(
  contestant: Contestant,
  scenario: Scenario,
  plan: Plan,
  { serverUrl, upstreamUrl, folder }: Place,
): Promise<Runner> {
  const databaseUrl = await createDatabase(serverUrl);
  const verified = await verifyOne(contestant, scenario, plan, databaseUrl);
  const file = join(folder, `${contestant.name}.requests`);
  writeRequests(file, scenario, contestant.dialect);
  const child = await contestant.start({ upstreamUrl, databaseUrl });
  return { contestant, child, verified, file, early: 0, rounds: [] };
}

async function verifyOne(
  contestant: Contestant,
  scenario: Scenario,
  plan: Plan,
  databaseUrl: string,
): Promise<Verified> {
  const upstream = await startBuiltIn(scenario.latencyMs);
  try {
    const child = await contestant.start({ upstreamUrl: upstream.url, databaseUrl });
    try {
      const extent = { requests: plan.verifiedRequests, connections: CONNECTIONS };
      return await verify(child.url, contestant.dialect, scenario, upstream, extent);
    } finally {
      await child.stop();
    }
  } finally {
    await upstream.stop();
  }
}

const loadOf = ({ child, verified, file }: Runner) => ({
  url: child.url,
  file,
  lengths: verified.lengths,
});

/** The first load: measures one second of it, when the contestant has run for a short time. */
async function warmUp(runner: Runner, scenario: Scenario, plan: Plan): Promise<void> {
  const load = { ...loadOf(runner), connections: scenario.connections ?? CONNECTIONS };
  await runLoad({ ...load, seconds: plan.coldSeconds });
  const { right, seconds } = await runLoad({ ...load, seconds: 1 });
  runner.early = right / seconds;
  if (plan.warmUpSeconds > 0) await runLoad({ ...load, seconds: plan.warmUpSeconds });
}

async function measure(runner: Runner, scenario: Scenario, plan: Plan): Promise<Round> {
  const { pid } = runner.child;
  const load = { ...loadOf(runner), connections: scenario.connections ?? CONNECTIONS };
  if (plan.settleSeconds > 0) await runLoad({ ...load, seconds: plan.settleSeconds });
  const before = cpuMicros(pid);
  const result = await runLoad({ ...load, seconds: plan.timedSeconds });
  return {
    ...result,
    requestsPerSecond: result.right / result.seconds,
    cpuMicros: (cpuMicros(pid) - before) / result.requests,
  };
}

async function toRow(runner: Runner, all: readonly Runner[], plan: Plan): Promise<Row> {
  const { contestant, child, verified, rounds } = runner;
  const wrong = rounds.reduce((sum, round) => sum + round.wrong + round.errors, 0);
  if (wrong > 0) return { contestant: contestant.name, reason: `${wrong} wrong answers` };
  if (rounds.some(({ right }) => right === 0)) {
    return { contestant: contestant.name, reason: 'no answer in a timed run' };
  }
  const reference = all.find((other) => other.contestant.name === REFERENCE)?.rounds;
  const summary = summarize(rounds, reference);
  return {
    contestant: contestant.name,
    ...summary,
    early: runner.early / summary.requestsPerSecond,
    paced: await measurePaced(runner, summary.requestsPerSecond * PACED_SHARE, plan),
    callsPerRequest: verified.callsPerRequest,
    peakMegabytes: peakMegabytes(child.pid),
  };
}

async function measurePaced(
  runner: Runner,
  rate: number,
  { settleSeconds, pacedSeconds: seconds }: Plan,
): Promise<Measured['paced']> {
  if (seconds === 0) return null;
  const load = { ...loadOf(runner), connections: PACED_CONNECTIONS, rate };
  // So many connections arrive at once for the first time, and may need new ones to the upstream.
  if (settleSeconds > 0) await runLoad({ ...load, seconds: settleSeconds });
  const { p50, p99 } = await runLoad({ ...load, seconds });
  return { p50, p99 };
}
