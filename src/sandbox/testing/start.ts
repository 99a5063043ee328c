import { setFlagsFromString } from 'node:v8';
import { z } from 'zod';
import { createEmbedded } from '../../database/embedded.ts';
import { appKey } from '../../settings/value-types.ts';
import { problem } from '../control/operation.ts';
import type { RequestLogEntry } from '../http/server.ts';
import { sandboxProgram } from '../program.ts';
import { type Sandbox, startSandbox as start } from '../sandbox.ts';
import type { Seed } from '../seed/seed.ts';
import { type Control, createControl } from './control-client.ts';
import { createGraphql, type Graphql, startGateway, type TestGateway } from './gateway.ts';
import { type TestStorage, takeSchema } from './shared-database.ts';

/** How a sandbox for tests is started. */
export interface StartOptions {
  /** What it contains: the demo data, which is the default, or only the demo app. */
  readonly seed?: Seed;
  /** `memory`, the default, or a folder that only this sandbox uses. */
  readonly data?: string;
  /** The key of the demo app; a new one if left out. */
  readonly demoKey?: string;
  /** Whether a gateway is started in front of the services. */
  readonly gateway?: boolean;
  /** Called once for every request to the services. */
  readonly log?: (entry: RequestLogEntry) => void;
}

/** A running sandbox, with the functions that change how it behaves. */
export interface TestSandbox extends Control {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  readonly controlUrl: string;
  /** The demo app: its key is the credential of the payments service and of the gateway. */
  readonly app: { readonly id: string; readonly key: string };
  /** The gateway's endpoint; undefined without a gateway. */
  readonly graphqlUrl: string | undefined;
  /** Sends an operation to the gateway with the key of the demo app. */
  readonly graphql: Graphql;
  close(): Promise<void>;
}

/**
 * Starts both services, the payment page and the control interface on free ports of this machine.
 * Sandboxes in one process do not see each other.
 */
export async function startSandbox(options: StartOptions = {}): Promise<TestSandbox> {
  const { data = 'memory', gateway = false, ...rest } = checkOptions(options);
  const storage = await withQuickStart(() => (data === 'memory' ? takeSchema() : inFolder(data)));
  const running: { sandbox?: Sandbox; gateway?: TestGateway } = {};
  const close = once(async () => {
    await running.gateway?.close();
    await running.sandbox?.close();
    await storage.remove();
  });
  try {
    running.sandbox = await start({
      ...rest,
      ...storage,
      controlPort: 0,
      afterReset: async () => running.gateway?.removeOperations(),
      onRecovery: () => running.gateway?.resumeCalls(),
    });
    if (gateway) running.gateway = await startGateway(running.sandbox, storage);
    const graphqlUrl = running.gateway?.url;
    const graphql = createGraphql(graphqlUrl, running.sandbox.demoApp.key);
    return { ...publicParts(running.sandbox), graphqlUrl, graphql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function inFolder(dataDir: string): Promise<TestStorage> {
  const embedded = createEmbedded({ dataDir });
  const schemas = { schema: sandboxProgram.name, gatewaySchema: 'gateway' };
  return Promise.resolve({ embedded, ...schemas, remove: async () => {} });
}

function publicParts({ usersUrl, paymentsUrl, posUrl, controlUrl = '', demoApp }: Sandbox) {
  const addresses = { usersUrl, paymentsUrl, posUrl, controlUrl };
  return { ...addresses, app: demoApp, ...createControl(controlUrl) };
}

/** A second call has no effect. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/**
 * The database is WebAssembly. Tests end before it pays to optimize it, which takes a third of the
 * start.
 */
async function withQuickStart<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--liftoff-only');
  try {
    return await work();
  } finally {
    setFlagsFromString('--no-liftoff-only');
  }
}

const options = z.strictObject({
  seed: z.enum(['demo', 'empty']).optional(),
  data: z.string().min(1).optional(),
  demoKey: appKey.schema.optional(),
  gateway: z.boolean().optional(),
  log: z.custom((value) => typeof value === 'function', 'Must be a function').optional(),
});

/** Returns the options. Throws an error that names what is wrong: tests may be plain JavaScript. */
export function checkOptions(given: StartOptions): StartOptions {
  const { success, error } = options.safeParse(given, { error: problem });
  if (success) return given;
  const problems = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `there is no option ${quoted(issue.keys)}`;
    if (issue.path[0] === 'demoKey') return `\`demoKey\`: Must be ${appKey.accepts}`;
    if (issue.path.length === 0) return 'the options must be an object';
    return `\`${issue.path.join('.')}\`: ${issue.message}`;
  });
  throw new TypeError(`startSandbox: ${problems.join('; ')}.`);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
