import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type Ask, createAsk } from '../../support/ask.ts';
import { startTestSandbox } from '../../support/start-sandbox.ts';
import { startGateway } from '../../support/start-stack.ts';
import { preparedPostgres } from '../../support/storage.ts';
import { controlledLimits, createGatewayClock } from './gateway-clock.ts';
import { settingsFor, spawnGatewayProcess } from './gateway-process.ts';
import { openPglite } from './open-stores.ts';
import { openServiceLedger, type ServiceLedger } from './service-ledger.ts';

/** A sandbox with one or more gateways in front, which share a store. */
export interface GatewayGroup {
  readonly sandbox: Sandbox;
  readonly ledger: ServiceLedger;
  /** `METHOD /path/:pattern` of every call that has reached the sandbox. */
  readonly calls: string[];
  /** Sends operations to one of the gateways; callers with successive indexes take turns. */
  askAs(caller: number): Ask;
  /** How many POSTs to transactions have reached the service. */
  posts(): number;
  close(): Promise<void>;
}

/** Gateways that share a store. */
interface Gateways {
  readonly asks: readonly [Ask, ...Ask[]];
  close(): Promise<void>;
}

type OpenGateways = (sandbox: Sandbox) => Promise<Gateways>;

/** One gateway on PGlite, in this process. */
const oneOnPglite: OpenGateways = async ({ usersUrl, paymentsUrl, posUrl, demoApp }) => {
  const gateway = await startGateway({
    ...controlledLimits,
    clock: createGatewayClock().clock,
    services: { usersUrl, paymentsUrl, posUrl },
    store: await openPglite(),
  });
  return { asks: [createAsk(gateway.url, demoApp.key)], close: gateway.close };
};

/** Two gateway processes on one PostgreSQL database. */
const twoOnPostgres: OpenGateways = async (sandbox) => {
  const settings = { ...settingsFor(sandbox), DATABASE_URL: await preparedPostgres() };
  const spawn = () => spawnGatewayProcess(settings, sandbox.demoApp.key);
  const [one, other] = await Promise.all([spawn(), spawn()]);
  return {
    asks: [one.ask, other.ask],
    close: async () => {
      await Promise.all([one.stop('SIGKILL'), other.stop('SIGKILL')]);
    },
  };
};

/** The groups on which tests of concurrent requests run. */
export const gatewayGroups: [string, () => Promise<GatewayGroup>][] = [
  ['one gateway on PGlite', () => startGatewayGroup(oneOnPglite)],
  ['two gateway processes on one PostgreSQL', () => startGatewayGroup(twoOnPostgres)],
];

async function startGatewayGroup(open: OpenGateways): Promise<GatewayGroup> {
  const calls: string[] = [];
  const sandbox = await startTestSandbox({
    log: ({ method, path }) => calls.push(`${method} ${path}`),
  });
  const { asks, close } = await open(sandbox);
  return {
    sandbox,
    calls,
    ledger: await openServiceLedger(sandbox),
    askAs: (caller) => asks[caller % asks.length] ?? asks[0],
    posts: () => calls.filter((call) => /^POST \/transactions/.test(call)).length,
    close: async () => {
      await close();
      await sandbox.close();
    },
  };
}
