import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import type { Surroundings } from './contestants.ts';
import type { Load } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import { type Place, pinSelf } from './process.ts';
import { scenarios } from './scenarios.ts';
import { startUpstream } from './services/start-upstream.ts';

const SCENARIO = 'distinct-10';
const CONNECTIONS = 32;
const VERIFIED = 100;

/** What gateways are measured with, if only their CPU time counts. */
export interface CostSetup {
  /** What the scenario is. */
  readonly title: string;
  /** The upstream, and a new database. */
  newSurroundings(): Promise<Surroundings>;
  /** The load for a gateway. */
  loadOf(url: string): Promise<Omit<Load, 'seconds'>>;
}

/**
 * Starts the services that gateways need, and stops them when all is measured.
 *
 * @param place where the upstream runs
 */
export async function withCostSetup<Result>(
  measure: (setup: CostSetup) => Promise<Result>,
  place: Place = 'rest',
): Promise<Result> {
  pinSelf();
  const scenario = scenarios.find(({ name }) => name === SCENARIO);
  if (scenario === undefined) throw new Error(`There is no scenario ${SCENARIO}.`);
  const postgres = await startPostgres();
  const upstream = await startUpstream(scenario, place);
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-bench-'));
  const file = join(folder, 'requests');
  writeRequests(file, scenario, 'tillgraph');
  try {
    return await measure({
      title: scenario.title,
      newSurroundings: async () => ({
        upstreamUrl: upstream.url,
        databaseUrl: await createDatabase(postgres.url),
      }),
      loadOf: async (url) => {
        return { url, file, connections: CONNECTIONS, lengths: await lengthsOf(url, file) };
      },
    });
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
