import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isInstalled, type Place, pinned } from '../process.ts';

/** What a load run was answered. */
export interface LoadResult {
  readonly requests: number;
  readonly right: number;
  readonly wrong: number;
  /** Connections that failed, and requests without an answer. */
  readonly errors: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** A load run. */
export interface Load {
  readonly url: string;
  /** The requests, as `writeRequests` writes them. */
  readonly file: string;
  /** The lengths of right answers. */
  readonly lengths: readonly number[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests per second of all connections, which then do not send as fast as they can. */
  readonly rate?: number;
  /** Where the load generator runs; not on the core of contestants if left out. */
  readonly place?: Place;
}

const hasWrk = isInstalled('wrk');
const generator = fileURLToPath(new URL('generator.ts', import.meta.url));
const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** Counters of different runs do not meet, also across runs of the benchmark. */
const COUNTERS_PER_RUN = 1_000_000;
let runs = Math.floor(Date.now() / 1000) % 100_000;

/** Sends requests for some seconds: in a closed loop, or at a given rate. */
export async function runLoad(load: Load): Promise<LoadResult> {
  runs += 1;
  const counter = String((runs % 1_000_000) * COUNTERS_PER_RUN);
  const { url, file, seconds, connections, rate } = load;
  const lengths = load.lengths.join(',');
  const words = hasWrk
    ? wrkWords(load, [file, counter, lengths, String(waitMs(load))])
    : [
        ...[process.execPath, generator, `--url=${url}`, `--file=${file}`],
        ...[`--counter=${counter}`, `--lengths=${lengths}`, `--seconds=${seconds}`],
        ...[`--connections=${connections}`, `--rate=${rate ?? 0}`],
      ];
  return read(await run(words, load.place ?? 'rest'));
}

/** How long a connection waits between an answer and its next request. */
function waitMs({ connections, rate }: Load): number {
  return rate === undefined ? 0 : (connections / rate) * 1000;
}

function wrkWords({ url, seconds, connections }: Load, args: readonly string[]): string[] {
  const loop = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '20s'];
  return ['wrk', ...loop, '-s', script, url, '--', ...args];
}

async function run(words: readonly string[], place: Place): Promise<string> {
  const [file = '', ...args] = pinned(place, words);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await once(child, 'close');
  return output;
}

function read(output: string): LoadResult {
  const json = /^RESULT (.*)$/m.exec(output)?.[1];
  if (json === undefined) throw new Error(`The load generator failed:\n${output}`);
  return JSON.parse(json);
}
