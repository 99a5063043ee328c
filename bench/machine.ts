import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isInstalled, isPinned } from './process.ts';

/** What a run was measured on and with: names and versions. */
export type Machine = Readonly<Record<string, string>>;

const packages = [
  ...['graphql-yoga', '@pothos/core', 'dataloader', 'undici', 'pg', 'graphql'],
  ...['mercurius', 'fastify', 'graphql-jit', '@apollo/server', '@apollo/datasource-rest'],
  ...['@tailcallhq/core-linux-x64-gnu'],
];

/** Describes this machine and what is installed on it. */
export function describeMachine(): Machine {
  const [cpu] = cpus();
  const versions = packages.flatMap((name) => {
    const version = versionOf(`node_modules/${name}`) ?? versionOf(`../node_modules/${name}`);
    return version === undefined ? [] : [`${name} ${version}`];
  });
  return {
    processor: `${cpu?.model ?? 'unknown'}, ${cpus().length} cores`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    kernel: `${type()} ${release()}`,
    node: process.version,
    processes: `${loadavg()
      .map((load) => load.toFixed(1))
      .join(
        ', ',
      )} wanted to run in the last 1, 5 and 15 minutes; more than 2 to 3 is a busy machine`,
    cores: isPinned
      ? 'contestant on core 0, upstream, database and load on core 1'
      : 'not pinned: taskset is missing, or there is one core',
    upstream: firstLine('nginx', ['-v']) ?? 'built-in, because nginx is missing',
    generator: firstLine('wrk', ['-v']) ?? 'built-in generator, because wrk is missing',
    packages: versions.join(', '),
  };
}

function versionOf(folder: string): string | undefined {
  try {
    const file = fileURLToPath(new URL(`${folder}/package.json`, import.meta.url));
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}

function firstLine(command: string, args: readonly string[]): string | undefined {
  if (!isInstalled(command)) return undefined;
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return (stdout + stderr).split('\n')[0]?.replace(/ Copyright.*$/, '');
}
