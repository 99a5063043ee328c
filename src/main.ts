import { z } from 'zod';
import { createEmbedded, type Embedded } from './database/embedded.ts';
import type { PersistedDocuments } from './gateway/document/persisted/persisted-documents.ts';
import { createEpochs, type Epochs } from './gateway/epochs.ts';
import { checkPort, listen } from './gateway/listen.ts';
import { describeStore, openStore } from './gateway/operation/store/open-store.ts';
import type { SqlStore } from './gateway/operation/store/sql-store.ts';
import { hasPages } from './gateway/request-settings.ts';
import type { Gateway } from './gateway/server.ts';
import {
  type GatewaySettings,
  gatewayGroups,
  gatewaySettings,
  type ServiceUrls,
} from './gateway/settings.ts';
import {
  besideSandbox,
  type EmbeddedSandbox,
  loadSandbox,
  loadSandboxSettings,
  requireSandboxSettings,
} from './load-sandbox.ts';
import { loadEnvFile } from './settings/env-file.ts';
import { asksForHelp, printHelp, rejectArguments } from './settings/print-help.ts';
import { readSettings, SettingsError } from './settings/read-settings.ts';
import { printStart } from './startup-output.ts';
import { readVersion } from './version.ts';

/**
 * `npm start`: the sandbox unless services are given, then the gateway in front of them. Both
 * are loaded after their settings were read, so that mistakes in these are reported soon.
 */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const given = [env.USERS_URL, env.PAYMENTS_URL, env.POS_URL].some((url) => url?.trim());
  const sandboxModule = given ? undefined : await requireSandboxSettings();
  // Read together, so that everything wrong in both is reported at once.
  const all = z.object({
    gateway: gatewaySettings,
    sandbox: sandboxModule?.sandboxSettings ?? z.object({}),
  });
  const { gateway: settings, sandbox: sandboxSettings } = readSettings(all, env);
  // Before any database is created, which a taken port would make useless.
  await checkPort(settings);
  const { openPersistedDocuments } = await import('./gateway/open-persisted-documents.ts');
  const documents = await openPersistedDocuments(settings);
  // Opened by whichever program has no server of its own; both use the same process and folder.
  const embedded = createEmbedded({ dataDir: settings.money.dataDir, use: 'GATEWAY' });
  const epochs = createEpochs(settings.coalesce);
  const record = deferred<SqlStore>();
  const running: Running = {};
  const sandbox = given
    ? undefined
    : await startWith(sandboxSettings, embedded, {
        // What the gateway has recorded belongs to records that are gone.
        afterReset: async () => {
          await (await record.promise).removeAll();
          epochs.raiseAll();
        },
        onRecovery: () => running.gateway?.resumeCalls(),
      });
  const services = sandbox ?? settings.services;
  if (services === undefined) throw new Error('No services.');
  const store = await orClose(openStore({ ...settings.money, embedded }), sandbox);
  record.resolve(store);
  await serve(env, settings, { sandbox, services, store, epochs, documents, running });
}

/** What the sandbox tells about, which is started before it. */
interface Running {
  gateway?: Gateway;
}

/** What a gateway is started with. */
interface Parts {
  readonly sandbox: EmbeddedSandbox | undefined;
  readonly services: ServiceUrls;
  readonly store: SqlStore;
  readonly epochs: Epochs;
  readonly documents: PersistedDocuments;
  readonly running: Running;
}

/** Starts the gateway, and stops everything when the process is told to stop. */
async function serve(
  env: NodeJS.ProcessEnv,
  settings: GatewaySettings,
  { sandbox, services, store, epochs, documents, running }: Parts,
): Promise<void> {
  const { createGateway } = await import('./gateway/server.ts');
  const { createLog } = await import('./gateway/log.ts');
  const { shareSalt } = await import('./gateway/protect/credential.ts');
  const { startTelemetry } = await import('./gateway/observe/telemetry.ts');
  const { reloadOnSignal } = await import('./gateway/open-persisted-documents.ts');
  const { openOperatorSocket } = await import('./gateway/open-operator.ts');
  if (settings.rate.isShared) shareSalt(await store.rates.readSalt());
  const log = createLog(settings.log.level ?? (sandbox === undefined ? 'info' : 'warn'));
  const gateway = createGateway({
    ...settings,
    persistedDocuments: documents,
    load: sandbox === undefined ? settings.load : besideSandbox(settings.load),
    requestLog: log,
    report: log.warn,
    onBug: log.bug,
    store,
    rates: store.rates,
    version: readVersion(),
    isSandbox: sandbox !== undefined,
    epochs,
    services,
    usersAccess: withDemoApp(settings.usersAccess, sandbox),
    ...withDemoKey(settings.auth, sandbox),
  });
  running.gateway = gateway;
  const telemetry = await orClose(
    startTelemetry({
      ...settings,
      gateway: gateway.state,
      countOpenOperations: store.countOpen,
      version: readVersion(),
      report: log.warn,
      onBug: log.bug,
    }),
    gateway,
    sandbox,
  );
  const listening = await orClose(listen(gateway, settings), gateway, sandbox);

  const operatorSocket = await openOperatorSocket(settings, store, services, log.warn);

  reloadOnSignal(documents, log.warn);
  // Before the startup output, because a reader of it may stop the program immediately.
  const drainMs = settings.drain.delayMs ?? (sandbox === undefined ? DRAIN_DELAY_MS : 0);
  onStop(env, async (reason) => {
    await listening.close(reason === 'SIGTERM' ? drainMs : 0, async () => operatorSocket?.close());
    // The requests that were running are reported, too.
    await telemetry.close();
    await sandbox?.close();
    process.exit(0);
  });
  printStart({
    url: listening.url,
    graphiql: hasPages(settings),
    services,
    moneyRecord: describeStore(settings.money),
    metricsUrl: telemetry.url && `${telemetry.url}/metrics`,
    tokens: settings.auth.mode === 'jwt',
    ...withDemoKey(settings.auth, sandbox),
    ...(sandbox ? { sandbox } : {}),
  });
}

/** What the sandbox calls: all records were replaced; faults were removed. */
interface SandboxEvents {
  readonly afterReset: () => Promise<void>;
  readonly onRecovery: () => void;
}

/** Starts the sandbox in this process. */
async function startWith(
  settings: Readonly<Partial<Record<'controlPort' | 'posPort' | 'logRequests', unknown>>>,
  embedded: Embedded,
  events: SandboxEvents,
): Promise<EmbeddedSandbox> {
  const { startSandbox, printRequest } = await loadSandbox();
  return startSandbox({
    ...settings,
    controlPort: settings.controlPort ?? nextPort(settings.posPort),
    ...(settings.logRequests === true ? { log: printRequest } : {}),
    embedded,
    onNewDatabase: () => console.log('Preparing the database. This takes some seconds, once.'),
    ...events,
  });
}

/** The control interface is on by default here, because those who start both programs develop. */
function nextPort(port: unknown): number {
  return typeof port === 'number' && port > 0 ? port + 1 : 0;
}

/** Closes what was started before, if the next step fails. */
async function orClose<T>(
  step: Promise<T>,
  ...started: readonly ({ close(): Promise<void> } | undefined)[]
): Promise<T> {
  return step.catch(async (error) => {
    await Promise.all(started.map((one) => one?.close()));
    throw error;
  });
}

/** A promise that is resolved elsewhere. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const PARENT_CHECK_MS = 250;
/** How long a load balancer may need to notice that the gateway stops. */
const DRAIN_DELAY_MS = 5_000;

type Reason = 'SIGINT' | 'SIGTERM' | 'PARENT';

/** npm passes on the signal that the terminal has also sent to this process. */
const SAME_SIGNAL_MS = 500;

/**
 * Stops the program at SIGINT or SIGTERM; a second one ends it immediately. When `npm start`
 * itself is stopped, it ends only its shell; the program then has another parent process and
 * stops too.
 */
function onStop(env: NodeJS.ProcessEnv, stop: (reason: Reason) => Promise<void>): void {
  let stoppedAt: number | undefined;
  const once = (reason: Reason) => {
    if (stoppedAt === undefined) {
      stoppedAt = performance.now();
      void stop(reason);
    } else if (reason !== 'PARENT' && performance.now() - stoppedAt > SAME_SIGNAL_MS) {
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => once(signal));
  if (env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && once('PARENT'), PARENT_CHECK_MS).unref();
}

function withDemoApp(rule: GatewaySettings['usersAccess'], sandbox: EmbeddedSandbox | undefined) {
  return rule === '*' || sandbox === undefined ? rule : [...rule, sandbox.demoApp.id];
}

/** Clients, or the gateway itself if they send tokens, can use the key of the demo app. */
function withDemoKey(auth: GatewaySettings['auth'], sandbox: EmbeddedSandbox | undefined) {
  if (sandbox === undefined) return {};
  const { key } = sandbox.demoApp;
  return auth.mode === 'key' ? { demoKey: key } : { auth: { paymentsKey: key, ...auth } };
}

/** Lists the settings of the gateway, and those of the sandbox if there is one. */
async function help(): Promise<string> {
  const sandbox = await loadSandboxSettings();
  const groups = [...gatewayGroups, ...(sandbox?.sandboxGroups ?? [])];
  const purpose = 'Starts the gateway, and the sandbox if no service URL is set.';
  return printHelp('npm start [-- --help]', purpose, groups);
}

async function run(args: readonly string[]): Promise<void> {
  if (asksForHelp(args)) return console.log(await help());
  rejectArguments('npm start', args);
  loadEnvFile();
  await main(process.env);
}

run(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exit(error instanceof SettingsError ? 2 : 1);
});
