import { fileURLToPath } from 'node:url';
import type { Dialect } from './operations.ts';
import { type Child, startChild } from './process.ts';

/** A server under test. */
export interface Contestant {
  readonly name: string;
  readonly dialect: Dialect;
  /** Starts it in front of an upstream. */
  start(surroundings: Surroundings): Promise<Child>;
}

/** What a contestant is started with. */
export interface Surroundings {
  readonly upstreamUrl: string;
  /** A database of its own. */
  readonly databaseUrl: string;
  /** Options of Node, such as those of its profiler. */
  readonly nodeOptions?: readonly string[];
}

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Limits that the load would reach. All other settings keep their defaults. */
const tillgraphLimits = {
  // One key may use half of them, and the other contestants have 64 for all.
  UPSTREAM_CONNECTIONS: '128',
  UPSTREAM_QUEUE: '100000',
  MAX_IN_FLIGHT: '100000',
  SHED_LOOP_DELAY_MS: '3600000',
};

function tillgraph(name: string, settings: Readonly<Record<string, string>> = {}): Contestant {
  return {
    name,
    dialect: 'tillgraph',
    start: ({ upstreamUrl, databaseUrl, nodeOptions = [] }) =>
      startChild({
        command: process.execPath,
        args: [...nodeOptions, path('../dist/main.js')],
        place: 'contestant',
        ready: /Endpoint +(\S+)/,
        env: {
          ...{ USERS_URL: upstreamUrl, PAYMENTS_URL: upstreamUrl, POS_URL: upstreamUrl },
          ...{ PORT: '0', DATABASE_URL: databaseUrl, LOG_LEVEL: 'off', DRAIN_DELAY_MS: '0' },
          ...tillgraphLimits,
          ...settings,
        },
      }),
  };
}

function ownPackages(
  name: string,
  file: string,
  { dialect, env = {} }: { dialect: Dialect; env?: Readonly<Record<string, string>> },
): Contestant {
  return {
    name,
    dialect,
    start: async ({ upstreamUrl, databaseUrl, nodeOptions = [] }) => {
      const child = await startChild({
        command: process.execPath,
        args: [...nodeOptions, path(`../dist/bench/contestants/${file}.js`)],
        place: 'contestant',
        env: { UPSTREAM_URL: upstreamUrl, DATABASE_URL: databaseUrl, ...env },
      });
      return { ...child, url: `${child.url}/graphql` };
    },
  };
}

const plain = { dialect: 'plain' } as const;

/** Every contestant. The first ones are the core table. */
export const contestants: readonly Contestant[] = [
  tillgraph('tillgraph'),
  ownPackages('hand-written', 'hand-written', plain),
  ownPackages('hand-written, single flight', 'hand-written', {
    ...plain,
    env: { SINGLE_FLIGHT: 'on' },
  }),
];
