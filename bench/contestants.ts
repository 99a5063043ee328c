import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOptions } from '../test/support/start-options.ts';
import { installPeers } from './install-peers.ts';
import type { Dialect } from './operations.ts';
import { type Child, startChild } from './process.ts';
import type { Scenario } from './scenarios.ts';
import { startTailcall } from './start-tailcall.ts';

/** A server under test. */
export interface Contestant {
  readonly name: string;
  readonly dialect: Dialect;
  /** Whether it takes part in the core table. */
  readonly isCore: boolean;
  /** Whether it needs packages that the product does not have. */
  readonly isPeer: boolean;
  /** Why it takes no part in a scenario, if it does not. */
  skips(scenario: Scenario): string | undefined;
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

type Settings = Readonly<Record<string, string>>;
type Traits = Partial<Pick<Contestant, 'dialect' | 'isCore' | 'isPeer' | 'skips'>>;

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Limits that the load would reach. All other settings keep their defaults. */
const tillgraphLimits = {
  // One key may use half of them, and the other contestants have 64 for all.
  UPSTREAM_CONNECTIONS: '128',
  MAX_IN_FLIGHT: '100000',
  // Five merchants inside each other.
  MAX_DEPTH: '30',
  SHED_LOOP_DELAY_MS: '3600000',
};

function tillgraph(name: string, settings: Settings = {}): Contestant {
  return {
    name,
    dialect: 'tillgraph',
    isCore: Object.keys(settings).length === 0,
    isPeer: false,
    skips: () => undefined,
    start: ({ upstreamUrl, databaseUrl, nodeOptions = [] }) =>
      startChild({
        command: process.execPath,
        args: [...startOptions, ...nodeOptions, path('../bin/gateway.js')],
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

/** A program of another contestant. */
function program(name: string, file: string, traits: Traits, settings: Settings = {}): Contestant {
  return {
    name,
    dialect: 'simple',
    isCore: false,
    isPeer: false,
    skips: () => undefined,
    start: async ({ upstreamUrl, databaseUrl, nodeOptions = [] }) => {
      const child = await startChild({
        command: process.execPath,
        args: [...startOptions, ...nodeOptions, path(file)],
        place: 'contestant',
        env: { UPSTREAM_URL: upstreamUrl, DATABASE_URL: databaseUrl, ...settings },
      });
      return { ...child, url: `${child.url}/graphql` };
    },
    ...traits,
  };
}

const own = (file: string) => `contestants/${file}.ts`;
const peer = (file: string) => `peers/${file}.ts`;
const only =
  (...names: string[]) =>
  ({ name }: Scenario) =>
    names.includes(name) ? undefined : 'shows nothing here';

function tailcall(name: string, dedupe: boolean): Contestant {
  return {
    name,
    dialect: 'simple',
    isCore: false,
    isPeer: true,
    skips: ({ name: scenario }) =>
      scenario === 'mutations' ? 'keeps no durable record of a capture' : undefined,
    start: async ({ upstreamUrl }) => {
      const folder = mkdtempSync(join(tmpdir(), 'tillgraph-tailcall-'));
      const binary = path('node_modules/@tailcallhq/core-linux-x64-gnu/bin/tailcall');
      const child = await startTailcall({ binary, folder, upstreamUrl, dedupe });
      const stop = async () => {
        await child.stop();
        rmSync(folder, { recursive: true });
      };
      return { ...child, stop };
    },
  };
}

/** Every contestant, in the order of the table. */
export const contestants: readonly Contestant[] = [
  tillgraph('tillgraph'),
  tillgraph('tillgraph-coalesce-off', { COALESCE: 'off' }),
  tillgraph('tillgraph-fast-path-off', { FAST_PATH: 'off' }),
  tillgraph('tillgraph-jit-off', { JIT: 'off' }),
  program('hand-written', own('hand-written'), { dialect: 'plain', isCore: true }),
  program(
    'hand-written-single-flight',
    own('hand-written'),
    { dialect: 'plain', isCore: true, skips: only('hot', 'hot-64', 'hot-128', 'credentials') },
    { SINGLE_FLIGHT: 'on' },
  ),
  program(
    'hand-written-no-keep-alive',
    own('hand-written'),
    { dialect: 'plain', isCore: true, skips: only('mutations') },
    { WRITES_KEEP_ALIVE: 'off' },
  ),
  program('constant', own('constant'), {
    dialect: 'none',
    skips: only('hot', 'hot-64', 'hot-128'),
  }),
  program('mercurius', peer('mercurius'), { isCore: true, isPeer: true }),
  program('yoga', own('yoga'), { isCore: true }),
  program('apollo', peer('apollo'), { isPeer: true }),
  tailcall('tailcall', false),
  tailcall('tailcall-dedupe', true),
];

/** A contestant that cannot be started, and why. */
function unavailable(contestant: Contestant, reason: string): Contestant {
  return { ...contestant, start: () => Promise.reject(new Error(reason)) };
}

/** The contestants, with the packages that they need installed. */
export function withPackages(chosen: readonly Contestant[]): readonly Contestant[] {
  const failure = chosen.some(({ isPeer }) => isPeer) ? installPeers() : undefined;
  if (failure === undefined) return chosen;
  return chosen.map((one) => (one.isPeer ? unavailable(one, failure) : one));
}
