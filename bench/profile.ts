import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contestant } from './contestants.ts';
import { runLoad } from './load/run-load.ts';
import { writeRequests } from './load/write-requests.ts';
import type { Scenario } from './scenarios.ts';
import { startUpstream } from './services/start-upstream.ts';

/** A profile as V8 writes it. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  /** Microseconds of a monotonic clock that all processes share. */
  readonly startTime: number;
  readonly timeDeltas: readonly number[];
}

/** A part of the program, and its share of the CPU time. */
export interface Share {
  readonly name: string;
  readonly share: number;
}

const WARM_UP_S = 3;
const SECONDS = 8;
const CONNECTIONS = 32;
const MIN_SHARE = 0.003;

/** Runs a scenario under the profiler of Node, and returns where the CPU time went. */
export async function profile(
  contestant: Contestant,
  scenario: Scenario,
  databaseUrl: string,
): Promise<{ readonly file: string; readonly packages: Share[]; readonly functions: Share[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-profile-'));
  const requests = join(folder, 'requests');
  writeRequests(requests, scenario, contestant.dialect);
  const upstream = await startUpstream(scenario);
  const child = await contestant.start({
    upstreamUrl: upstream.url,
    databaseUrl,
    nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  });
  const load = { url: child.url, file: requests, lengths: [], connections: CONNECTIONS };
  await runLoad({ ...load, seconds: WARM_UP_S });
  const startMicros = nowMicros();
  await runLoad({ ...load, seconds: SECONDS });
  const endMicros = nowMicros();
  await child.stop();
  await upstream.stop();
  rmSync(requests);
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'));
  if (name === undefined) throw new Error(`${contestant.name} wrote no profile.`);
  const file = join(folder, name);
  const written = within(JSON.parse(readFileSync(file, 'utf8')), startMicros, endMicros);
  return {
    file,
    packages: shares(written, (frame) => partOf(frame.functionName, frame.url)),
    functions: shares(written, (frame) => {
      const source = frame.url.replace(/^.*\/(node_modules|src)\//, '');
      return `${frame.functionName || '(anonymous)'} ${source}`.trim();
    }),
  };
}

const nowMicros = () => Number(process.hrtime.bigint() / 1000n);

/** The part of a profile between two times. */
function within(all: CpuProfile, startMicros: number, endMicros: number): CpuProfile {
  let time = all.startTime;
  const indexes = all.timeDeltas.flatMap((delta, index) => {
    time += delta;
    return time >= startMicros && time < endMicros ? [index] : [];
  });
  return {
    ...all,
    samples: indexes.map((index) => all.samples[index] ?? 0),
    timeDeltas: indexes.map((index) => all.timeDeltas[index] ?? 0),
  };
}

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

/** The shares of self time by what a name is made of. Idle time does not count. */
function shares(
  { nodes, samples, timeDeltas }: CpuProfile,
  nameOf: (frame: CallFrame) => string,
): Share[] {
  const names = new Map(
    nodes.map(({ id, callFrame }) => [
      id,
      callFrame.functionName === '(idle)' ? undefined : nameOf(callFrame),
    ]),
  );
  const micros = new Map<string, number>();
  let all = 0;
  for (const [index, sample] of samples.entries()) {
    const name = names.get(sample);
    if (name === undefined) continue;
    // The time of a sample is the time until the next one.
    const elapsed = timeDeltas[index + 1] ?? 0;
    micros.set(name, (micros.get(name) ?? 0) + elapsed);
    all += elapsed;
  }
  return [...micros]
    .map(([name, own]) => ({ name, share: own / all }))
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((a, b) => b.share - a.share);
}

/** The package, or the folder of the product, that a function belongs to. */
function partOf(functionName: string, url: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  const installed = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1];
  if (installed !== undefined) return installed;
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  const own = /\/(src\/.*)\/[^/]*$/.exec(url)?.[1];
  return own ?? url;
}
