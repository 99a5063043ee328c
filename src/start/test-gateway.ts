import type { Storage } from '../database/open.ts';
import { createGateway } from '../gateway/gateway.ts';
import { openStore } from '../gateway/money/store/open-store.ts';
import { openReplicaStore } from '../gateway/replica/store/open-replica-store.ts';
import { readGatewaySettings, type ServiceUrls } from '../gateway/settings/settings.ts';
import { createEpochs } from '../gateway/upstream/epochs.ts';
import { listen } from './listen.ts';
import { besideSandbox } from './load-sandbox.ts';

/** A gateway in front of a sandbox for tests. */
interface TestGateway {
  /** Address of its endpoint. */
  readonly url: string;
  /** Removes its store of money operations. */
  removeOperations(): Promise<void>;
  /** Resumes calls to the services, as if no call had failed. */
  resumeCalls(): void;
  close(): Promise<void>;
}

/** A sandbox and its demo app. */
type Services = ServiceUrls & {
  readonly controlUrl?: string;
  readonly demoApp: { readonly id: string; readonly key: string };
};

/** Calls per second of the sync. */
const UNLIMITED = 10_000;

/**
 * Starts a gateway with default settings on a free port. The demo app may use user records, and
 * GraphiQL has its key. Called by the sandbox for tests, which imports this file by name.
 */
export async function startTestGateway(
  { demoApp, controlUrl, ...services }: Services,
  storage: Storage,
): Promise<TestGateway> {
  const settings = readGatewaySettings({ PORT: '0', USERS_ACCESS: demoApp.id });
  const epochs = createEpochs(settings.coalesce);
  const store = await openStore({ ...storage, leaseMs: settings.money.leaseMs });
  const replica = await openReplicaStore(storage);
  const gateway = createGateway({
    ...settings,
    load: besideSandbox(settings.load),
    store,
    epochs,
    services,
    demoKey: demoApp.key,
    controlUrl,
    isSandbox: true,
    sync: { ...settings.sync, callsPerSecond: UNLIMITED },
    replica: { store: replica, shown: store.shown, key: demoApp.key, maxPauseSeconds: 2 },
  });
  const { url, close } = await listen(gateway, settings);
  return {
    url: `${url}/graphql`,
    close: () => close(),
    resumeCalls: gateway.resumeCalls,
    removeOperations: async () => {
      await store.removeAll();
      await replica.forgetAll();
      epochs.raiseAll();
    },
  };
}
