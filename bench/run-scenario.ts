import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../test/support/postgres-server.ts';
import type { Contestant } from './contestants.ts';
import { type LoadResult, runLoad } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import { type Child, cpuMicros, peakMegabytes } from './process.ts';
import type { Scenario } from './scenarios.ts';
import { startBuiltIn } from './services/start-built-in.ts';
import { startUpstream } from './services/start-upstream.ts';
import { type Verified, verify } from './verify.ts';

/** A contestant in a scenario: what was measured, or why it does not take part. */
export type Row = Measured | { readonly contestant: string; readonly reason: string };

/** What was measured of a contestant in a scenario: means of the rounds. */
export interface Measured {
  readonly contestant: string;
  readonly requestsPerSecond: number;
  /** Of the requests per second of the hand-written handler in the same round. */
  readonly ratio: number | undefined;
  /** How far the rounds are apart, as a share of the mean. */
  readonly spread: number;
  readonly p50: number;
  readonly p99: number;
  readonly callsPerRequest: number;
  readonly cpuMicros: number;
  readonly peakMegabytes: number;
}

/** The contestant that others are compared with. */
export const REFERENCE = 'hand-written';
const ROUNDS = 2;
const WARM_UP_S = 2;
const TIMED_S = 4;
const CONNECTIONS = 32;
/** Characters of a reason that are shown. */
const MAX_REASON = 300;

interface Runner {
  readonly contestant: Contestant;
  readonly child: Child;
  readonly verified: Verified;
  readonly file: string;
  readonly rounds: Round[];
}

interface Round extends LoadResult {
  readonly requestsPerSecond: number;
  readonly cpuMicros: number;
}

/** Verifies the contestants in a scenario, and measures those whose answers are right. */
export async function runScenario(
  scenario: Scenario,
  chosen: readonly Contestant[],
  serverUrl: string,
): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
  const upstream = await startUpstream(scenario);
  const rows: Row[] = [];
  const runners: Runner[] = [];
  try {
    for (const [index, contestant] of chosen.entries()) {
      const reason = contestant.skips(scenario);
      if (reason !== undefined) continue;
      try {
        const databaseUrl = await createDatabase(serverUrl);
        const verified = await verifyOne(contestant, scenario, databaseUrl);
        const file = join(folder, `${index}.requests`);
        writeRequests(file, scenario, contestant.dialect);
        const child = await contestant.start({ upstreamUrl: upstream.url, databaseUrl });
        runners.push({ contestant, child, verified, file, rounds: [] });
      } catch (error) {
        rows.push({ contestant: contestant.name, reason: reasonOf(error) });
      }
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const runner of runners) runner.rounds.push(await measure(runner, scenario));
    }
    return [...runners.map((runner) => toRow(runner, runners)), ...rows];
  } finally {
    for (const { child } of runners) await child.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error))
    .replace(/\s+/g, ' ')
    .slice(0, MAX_REASON);
}

async function verifyOne(
  contestant: Contestant,
  scenario: Scenario,
  databaseUrl: string,
): Promise<Verified> {
  const upstream = await startBuiltIn(scenario.latencyMs);
  try {
    const child = await contestant.start({ upstreamUrl: upstream.url, databaseUrl });
    try {
      return await verify(child.url, contestant.dialect, scenario, upstream);
    } finally {
      await child.stop();
    }
  } finally {
    await upstream.stop();
  }
}

async function measure({ child, verified, file }: Runner, scenario: Scenario): Promise<Round> {
  const load = {
    url: child.url,
    file,
    lengths: verified.lengths,
    connections: scenario.connections ?? CONNECTIONS,
  };
  await runLoad({ ...load, seconds: WARM_UP_S });
  const before = cpuMicros(child.pid);
  const result = await runLoad({ ...load, seconds: TIMED_S });
  const used = cpuMicros(child.pid) - before;
  return {
    ...result,
    requestsPerSecond: result.right / result.seconds,
    cpuMicros: used / result.requests,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function toRow({ contestant, child, verified, rounds }: Runner, all: readonly Runner[]): Row {
  const wrong = rounds.reduce((sum, round) => sum + round.wrong + round.errors, 0);
  if (wrong > 0) return { contestant: contestant.name, reason: `${wrong} wrong answers` };
  const reference = all.find((other) => other.contestant.name === REFERENCE)?.rounds;
  const speeds = rounds.map(({ requestsPerSecond }) => requestsPerSecond);
  const ratios = reference?.map(
    ({ requestsPerSecond }, round) => (speeds[round] ?? 0) / requestsPerSecond,
  );
  return {
    contestant: contestant.name,
    requestsPerSecond: mean(speeds),
    ratio: ratios && mean(ratios),
    spread: (Math.max(...speeds) - Math.min(...speeds)) / mean(speeds),
    p50: mean(rounds.map(({ p50 }) => p50)),
    p99: mean(rounds.map(({ p99 }) => p99)),
    cpuMicros: mean(rounds.map((round) => round.cpuMicros)),
    callsPerRequest: verified.callsPerRequest,
    peakMegabytes: peakMegabytes(child.pid),
  };
}
