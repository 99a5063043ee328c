import { shareSalt } from '../gateway/access/credential.ts';
import type { PersistedDocuments } from '../gateway/execution/documents/persisted/persisted-documents.ts';
import { createGateway, type Gateway, type GatewayReplica } from '../gateway/gateway.ts';
import { createRemembered } from '../gateway/http/remembered.ts';
import { describeStore } from '../gateway/money/store/open-store.ts';
import type { SqlStore } from '../gateway/money/store/sql-store.ts';
import { PAUSES } from '../gateway/replica/sync-loop.ts';
import { hasPages } from '../gateway/settings/request-settings.ts';
import {
  DRAIN_DELAY_MS,
  type GatewaySettings,
  type ServiceUrls,
} from '../gateway/settings/settings.ts';
import type { ReplicaState } from '../gateway/telemetry/gateway-state.ts';
import { createLog } from '../gateway/telemetry/log.ts';
import { startTelemetry } from '../gateway/telemetry/telemetry.ts';
import type { Epochs } from '../gateway/upstream/epochs.ts';
import { readVersion } from '../package-files.ts';
import { type ListeningGateway, listen } from './listen.ts';
import { besideSandbox, type EmbeddedSandbox } from './load-sandbox.ts';
import type { Started } from './startup-output.ts';
import { orClose } from './stop-signals.ts';

/** The parts to start a gateway with. */
export interface GatewayParts {
  readonly services: ServiceUrls;
  readonly store: SqlStore;
  readonly epochs: Epochs;
  readonly documents: PersistedDocuments;
  /** Undefined if nothing is copied. */
  readonly replica?: GatewayReplica | undefined;
  /** The number of this worker; undefined if it is the only process. */
  readonly worker?: number | undefined;
  /** Undefined if services are given. */
  readonly sandbox?: EmbeddedSandbox | undefined;
}

/** A gateway that accepts requests. */
export interface StartedGateway {
  readonly gateway: Gateway;
  /** What the startup output shows. */
  readonly started: Started;
  /** Writes a message for the operator. */
  readonly report: (message: string) => void;
  /**
   * Waits for running requests, then closes the gateway and its parts.
   *
   * @param waits whether requests are still accepted for a while, so that load balancers notice
   * @param isReplaced whether another worker takes over
   */
  close(waits: boolean, isReplaced?: boolean): Promise<void>;
}

/** Measures a replica at most once a second, however many metrics ask for it. */
function measureReplica({ measure }: GatewayReplica['store']): () => Promise<ReplicaState> {
  const nothing = {
    ...{ merchants: {}, lagSeconds: 0, overdue: 0, records: 0, repaired: 0, calls: 0 },
    ...{ eventLagSeconds: 0, pending: 0, oldestSeconds: 0, disabled: 0 },
  };
  return createRemembered<ReplicaState>(() => measure(PAUSES), nothing).current;
}

/** Calls per second of the sync with the sandbox. */
const UNLIMITED = 10_000;
/** How long connections may still be on their way to a worker that is being replaced. */
const LEAST_DELAY_MS = 500;

/** Starts a gateway in this process. */
export async function startGateway(
  settings: GatewaySettings,
  parts: GatewayParts,
): Promise<StartedGateway> {
  const { sandbox, services, store } = parts;
  if (settings.money.databaseUrl !== undefined) shareSalt(await store.readSalt());
  const level = settings.log.level ?? (sandbox === undefined ? 'info' : 'warn');
  const log = createLog(level, undefined, parts.worker);
  const gateway = createGateway({
    ...settings,
    persistedDocuments: parts.documents,
    load: sandbox === undefined ? settings.load : besideSandbox(settings.load),
    requestLog: log,
    report: log.warn,
    onBug: log.bug,
    store,
    ...(parts.replica && { replica: parts.replica }),
    ...(sandbox && { sync: { ...settings.sync, callsPerSecond: UNLIMITED } }),
    version: readVersion(),
    isSandbox: sandbox !== undefined,
    controlUrl: sandbox?.controlUrl,
    epochs: parts.epochs,
    services,
    usersAccess: withDemoApp(settings.usersAccess, sandbox),
    ...withDemoKey(settings.auth, sandbox),
  });
  const telemetry = await orClose(
    startTelemetry({
      ...settings,
      gateway: gateway.state,
      countOpenOperations: createRemembered(store.countOpen, []).current,
      measureReplica: parts.replica && measureReplica(parts.replica.store),
      version: readVersion(),
      report: log.warn,
      onBug: log.bug,
    }),
    gateway,
    sandbox,
  );
  const listening = await orClose(listen(gateway, settings), gateway, sandbox);
  log.info(`Tillgraph ${readVersion()} on Node ${process.versions.node} accepts requests.`);
  // Before anything is shown, because its reader may stop the program immediately.
  const drainMs = settings.drain.delayMs ?? (sandbox === undefined ? DRAIN_DELAY_MS : 0);
  return {
    gateway,
    report: log.warn,
    started: describeStart(settings, parts, listening, telemetry.url),
    close: async (waits, isReplaced = false) => {
      // The other worker listens there too, and its metrics must not mix with this one's.
      if (isReplaced) await telemetry.closePort();
      await listening.close({
        delayMs: Math.max(waits ? drainMs : 0, isReplaced ? LEAST_DELAY_MS : 0),
        isReplaced,
      });
      // After the last requests, so that they are reported too.
      await telemetry.close();
      await sandbox?.close();
      log.info('The gateway has stopped.');
    },
  };
}

function describeStart(
  settings: GatewaySettings,
  { services, sandbox }: GatewayParts,
  { url }: ListeningGateway,
  operationsUrl: string | undefined,
): Started {
  return {
    url,
    graphiql: hasPages(settings),
    services,
    moneyRecord: describeStore(settings.money),
    metricsUrl: operationsUrl && `${operationsUrl}/metrics`,
    tokens: settings.auth.mode === 'jwt',
    ...withDemoKey(settings.auth, sandbox),
    ...(sandbox ? { sandbox } : {}),
  };
}

function withDemoApp(rule: GatewaySettings['usersAccess'], sandbox: EmbeddedSandbox | undefined) {
  return rule === '*' || sandbox === undefined ? rule : [...rule, sandbox.demoApp.id];
}

/** Clients can use the demo app's key, or the gateway itself can if they send tokens. */
function withDemoKey(auth: GatewaySettings['auth'], sandbox: EmbeddedSandbox | undefined) {
  if (sandbox === undefined) return {};
  const { key } = sandbox.demoApp;
  return auth.mode === 'key' ? { demoKey: key } : { auth: { paymentsKey: key, ...auth } };
}
