import cluster from 'node:cluster';
import { z } from 'zod';
import { createEmbedded, type Embedded } from './database/embedded.ts';
import type { Gateway, GatewayReplica } from './gateway/gateway.ts';
import { openStore } from './gateway/money/store/open-store.ts';
import type { SqlStore } from './gateway/money/store/sql-store.ts';
import { openReplicaStore } from './gateway/replica/store/open-replica-store.ts';
import {
  type GatewaySettings,
  gatewayGroups,
  gatewaySettings,
} from './gateway/settings/settings.ts';
import { createEpochs } from './gateway/upstream/epochs.ts';
import { loadEnvFile } from './settings/env-file.ts';
import { asksForHelp, printHelp, rejectArguments } from './settings/print-help.ts';
import { readSettings, SettingsError } from './settings/read-settings.ts';
import { checkPort } from './start/listen.ts';
import {
  type EmbeddedSandbox,
  loadSandbox,
  loadSandboxSettings,
  requireSandboxSettings,
} from './start/load-sandbox.ts';
import { printStart } from './start/startup-output.ts';
import { onStop, orClose } from './start/stop-signals.ts';

/**
 * `npm start`: the sandbox unless services are given, then the gateway in front of them. Both are
 * loaded after reading the settings, so that mistakes in these are reported early.
 *
 * @param own the environment without the file `.env`
 */
async function main(env: NodeJS.ProcessEnv, own: NodeJS.ProcessEnv): Promise<void> {
  const given = [env.USERS_URL, env.PAYMENTS_URL, env.POS_URL].some((url) => url?.trim());
  const sandboxModule = given ? undefined : await requireSandboxSettings();
  // Read together, so that everything that is wrong in either is reported at once.
  const all = z.object({
    gateway: gatewaySettings,
    sandbox: sandboxModule?.sandboxSettings ?? z.object({}),
  });
  const { gateway: settings, sandbox } = readSettings(all, env);
  const sandboxSettings = given ? undefined : sandbox;
  if (cluster.isWorker) {
    const { divideLimits, runWorker } = await import('./start/workers.ts');
    const worker = Number(env.TILLGRAPH_WORKER);
    return runWorker(() => start(divideLimits(settings), undefined, worker));
  }
  // Before any database is created, which would be useless if the port is taken.
  await checkPort(settings);
  if (settings.workers > 1) {
    const { startWorkers } = await import('./start/workers.ts');
    // A variable removed from the file must not be set in later workers.
    process.env = own;
    return startWorkers(own, settings);
  }
  const { documents, close, started, report } = await start(settings, sandboxSettings);
  const { reloadOnSignal } = await import(
    './gateway/execution/documents/open-persisted-documents.ts'
  );
  reloadOnSignal(documents, report);
  // Before the startup output, because its reader may stop the program immediately.
  onStop(env, async (reason) => {
    await close(reason === 'SIGTERM');
    process.exit(0);
  });
  printStart(started);
}

/** Starts a gateway in this process, and its sandbox if its settings are given. */
async function start(
  settings: GatewaySettings,
  sandboxSettings?: SandboxSettings,
  worker?: number,
) {
  // Used by each program that has no database server; both share the process and the folder.
  const embedded = createEmbedded(settings.money);
  // It starts in a thread of its own while the programs are loaded.
  if ((sandboxSettings ?? settings.money).databaseUrl === undefined) embedded.start();
  const { openPersistedDocuments } = await import(
    './gateway/execution/documents/open-persisted-documents.ts'
  );
  const documents = await openPersistedDocuments(settings);
  const epochs = createEpochs(settings.coalesce);
  const record = Promise.withResolvers<SqlStore>();
  const running: { gateway?: Gateway; replica?: GatewayReplica | undefined } = {};
  const sandbox =
    sandboxSettings &&
    (await startSandbox(sandboxSettings, embedded, {
      // The recorded operations belong to records that no longer exist.
      afterReset: async () => {
        await (await record.promise).removeAll();
        await running.replica?.store.forgetAll();
        epochs.raiseAll();
      },
      onRecovery: () => running.gateway?.resumeCalls(),
    }));
  const services = sandbox ?? settings.services;
  if (services === undefined) throw new Error('No services.');
  const storage = { ...settings.money, embedded };
  const store = await orClose(openStore(storage), sandbox);
  record.resolve(store);
  const key = sandbox?.demoApp.key ?? settings.auth.paymentsKey;
  const replica =
    settings.sync.isOn && key !== undefined
      ? {
          key,
          shown: store.shown,
          // Its clock can be moved, and its reads cost little.
          ...(sandbox && { maxPauseSeconds: 2 }),
          store: await orClose(openReplicaStore(storage), store, sandbox),
        }
      : undefined;
  running.replica = replica;
  const { startGateway } = await import('./start/start-gateway.ts');
  const parts = { services, store, epochs, documents, sandbox, worker, replica };
  const started = await startGateway(settings, parts);
  running.gateway = started.gateway;
  return { ...started, documents };
}

type SandboxSettings = Readonly<
  Partial<Record<'controlPort' | 'databaseUrl' | 'posPort' | 'logRequests', unknown>>
>;

/** Called by the sandbox after all records were replaced, and after faults were removed. */
interface SandboxEvents {
  readonly afterReset: () => Promise<void>;
  readonly onRecovery: () => void;
}

/** Starts the sandbox in this process. */
async function startSandbox(
  settings: SandboxSettings,
  embedded: Embedded,
  events: SandboxEvents,
): Promise<EmbeddedSandbox> {
  const sandbox = await loadSandbox();
  return sandbox.startSandbox({
    ...settings,
    controlPort: settings.controlPort ?? nextPort(settings.posPort),
    ...(settings.logRequests === true ? { log: sandbox.printRequest } : {}),
    embedded,
    onNewDatabase: () => console.log('Preparing the database. This takes some seconds, once.'),
    ...events,
  });
}

/**
 * The control interface is on by default here, because starting both programs is for development.
 */
function nextPort(port: unknown): number {
  return typeof port === 'number' && port > 0 ? port + 1 : 0;
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
  const own = { ...process.env };
  // A worker gets what its primary read.
  if (!cluster.isWorker) loadEnvFile(process.env);
  await main(process.env, own);
}

run(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exit(error instanceof SettingsError ? 2 : 1);
});
