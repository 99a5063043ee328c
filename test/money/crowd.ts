import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type Ask, startGateway } from '../support/start-stack.ts';
import { preparedPostgres } from '../support/storage.ts';
import { type Books, openBooks } from './books.ts';
import { inFrontOf, startGatewayProcess } from './gateway-process.ts';
import { openPglite } from './open-stores.ts';

/** A sandbox, and gateways before it that share what they know of operations. */
export interface Crowd {
  readonly sandbox: Sandbox;
  readonly books: Books;
  /** Every call that reached the sandbox. */
  readonly calls: string[];
  /** A caller; every next one goes to the next gateway. */
  caller(index: number): Ask;
  /** POSTs to transactions that reached the service. */
  posts(): number;
}

/** Gateways before a sandbox, each as a way to ask it. */
type OpenGateways = (sandbox: Sandbox) => Promise<{ asks: Ask[]; close(): Promise<void> }>;

/** One gateway, in the process of the test. */
export const onPGlite: OpenGateways = async (sandbox) => {
  const { usersUrl, paymentsUrl, posUrl, demoApp } = sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  const { ask, close } = await startGateway({ services, store: await openPglite() });
  return { asks: [(query, variables) => ask(query, variables, demoApp.key)], close };
};

const twoProcesses: OpenGateways = async (sandbox) => {
  const settings = { ...inFrontOf(sandbox), DATABASE_URL: await preparedPostgres() };
  const start = () => startGatewayProcess(settings, sandbox.demoApp.key);
  const processes = await Promise.all([start(), start()]);
  return {
    asks: processes.map(({ ask }) => ask),
    close: async () => {
      await Promise.all(processes.map(({ stop }) => stop()));
    },
  };
};

/** Who answers while many call at once. */
export const crowds: [string, OpenGateways][] = [
  ['a gateway on PGlite', onPGlite],
  ['two processes on one PostgreSQL', twoProcesses],
];

/** Starts a sandbox with gateways for the length of a test. */
export async function startCrowd(open: OpenGateways): Promise<Crowd> {
  const calls: string[] = [];
  const sandbox = await startTestSandbox({
    log: ({ method, path }) => calls.push(`${method} ${path}`),
  });
  onTestFinished(() => sandbox.close());
  const { asks, close } = await open(sandbox);
  onTestFinished(close);
  return {
    sandbox,
    calls,
    books: await openBooks(sandbox),
    caller: (index) => asks[index % asks.length] as Ask,
    posts: () => calls.filter((call) => /^POST \/transactions/.test(call)).length,
  };
}
