import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts';
import type { Clock } from '../../src/gateway/money/engine/clock.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { type GatewaySettings, readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import type { Log } from '../../src/gateway/telemetry/log.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { listen } from '../../src/start/listen.ts';
import { type Ask, createAsk } from './ask.ts';
import { patientGateway, patientStore } from './patience.ts';
import { startTestSandbox } from './start-sandbox.ts';
import { preparedStorage } from './storage.ts';
import { openTestReplica, type TestReplica } from './test-replica.ts';

/** A sandbox with a gateway in front, over real HTTP. */
export interface Stack {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly ask: Ask;
  /** `METHOD /path/:pattern` of every call that reached a service, in order. */
  readonly calls: string[];
  /** Bugs in the gateway, which clients saw as "Unexpected error." */
  readonly bugs: unknown[];
  /** The replica of a stack that is copied. */
  readonly replica: TestReplica | undefined;
  close(): Promise<void>;
}

/** Changes to how the gateway of a test is started. */
export type StackOptions = Partial<Omit<GatewaySettings, 'services'>> & {
  /** Key to fill into GraphiQL. */
  readonly demoKey?: string;
  /** The control interface of the sandbox, for GraphiQL. */
  readonly controlUrl?: string | undefined;
  /** The version that the status page shows. */
  readonly version?: string;
  readonly services?: Partial<GatewaySettings['services']>;
  /** Where money operations are kept; the gateways of one file share a store otherwise. */
  readonly store?: OperationStore;
  /** The copy of the merchants' lists; none if left out. */
  readonly replica?: NonNullable<GatewayOptions['replica']>;
  /** Where requests are logged; nowhere if left out. */
  readonly requestLog?: Log;
  /** The known documents; none if left out. */
  readonly persistedDocuments?: NonNullable<GatewayOptions['persistedDocuments']>;
  /** Called with messages for the operator. */
  readonly report?: (message: string) => void;
  /** Time of money operations; a patient one if left out. */
  readonly clock?: Clock;
  /** What requests share; made from the settings if left out. */
  readonly epochs?: NonNullable<GatewayOptions['epochs']>;
  /** Called when the gateway has read a request and begun to execute it. */
  readonly onBegun?: () => void;
  /** The port of the sandbox's control interface; none if left out. */
  readonly controlPort?: number;
};

let shared: Promise<OperationStore> | undefined;

function sharedStore(): Promise<OperationStore> {
  shared ??= ownStore();
  return shared;
}

/** A store for one gateway, which closes it: for tests that move money of demo transactions. */
export async function ownStore(): Promise<OperationStore> {
  return openStore({ ...(await preparedStorage()), ...patientStore });
}

/**
 * Starts both programs on free ports.
 *
 * @param isCopied whether the gateway has a store of its own, and a replica of everything
 */
export async function startStack({
  isCopied = false,
  ...options
}: StackOptions & { readonly isCopied?: boolean } = {}): Promise<Stack> {
  const calls: string[] = [];
  const sandbox = await startTestSandbox({
    controlPort: options.controlPort,
    log: ({ method, path }) => calls.push(`${method} ${path}`),
  });
  const { usersUrl, paymentsUrl, posUrl } = sandbox;
  const copied = isCopied ? await openCopied(sandbox.demoApp.key) : undefined;
  const gateway = await startGateway({
    usersAccess: [sandbox.demoApp.id],
    ...copied,
    ...options,
    services: { usersUrl, paymentsUrl, posUrl, ...options.services },
  });
  await copied?.replica.ready();
  return {
    ...gateway,
    replica: copied?.replica,
    sandbox,
    calls,
    ask: createAsk(gateway.url, sandbox.demoApp.key),
    close: async () => {
      await gateway.close();
      await sandbox.close();
    },
  };
}

/** Settings of a replica that is copied at once, with endpoints on this machine. */
export const fastSync = {
  isOn: true,
  callsPerSecond: 10_000,
  keepDays: 30,
  maxSubscriptions: 1_000,
  webhooksPrivate: true,
};

/** A store of one gateway, and its replica of everything. */
async function openCopied(key: string) {
  const store = await openStore({ ...(await preparedStorage()), ...patientStore });
  const replica = await openTestReplica(key, store.shown);
  return { store, replica, sync: fastSync };
}

/** Starts a gateway in front of the services at the given addresses. */
export async function startGateway(
  options: StackOptions & { readonly services: NonNullable<GatewaySettings['services']> },
) {
  const bugs: unknown[] = [];
  const store = options.store ?? { ...(await sharedStore()), close: async () => {} };
  const settings = { ...readGatewaySettings({}), freezesReads: true };
  const gateway = createGateway({
    ...settings,
    ...patientGateway,
    ...options,
    store,
    onBug: (error) => bugs.push(error),
  });
  const watched = { ...gateway, handle: watch(gateway.handle, options.onBegun) };
  const { url, close } = await listen(watched, { ...settings, ...options, port: 0 });
  return { url, ask: createAsk(url), close, bugs };
}

function watch(handle: Gateway['handle'], onBegun = () => {}): Gateway['handle'] {
  return (request, response) => {
    // Everything that a complete body leads to at once is done before.
    request.once('end', () => setImmediate(onBegun));
    handle(request, response);
  };
}
