import { existsSync } from 'node:fs';
import { createEmbedded } from './database/embedded.ts';
import { type GatewayConfig, readGatewayConfig, type ServiceUrls } from './gateway/config.ts';
import { listen } from './gateway/listen.ts';
import { describeStore, openStore } from './gateway/operation/store/open-store.ts';
import { createGateway } from './gateway/server.ts';
import { printStart } from './start-screen.ts';

/** What is asked of the sandbox; it is loaded by name, so that a build without it is complete. */
interface SandboxModule {
  readSandboxConfig(env: NodeJS.ProcessEnv): object;
  startSandbox(config: object): Promise<EmbeddedSandbox>;
}

interface EmbeddedSandbox extends ServiceUrls {
  readonly demoApp: { readonly id: string; readonly key: string };
  readonly storage: string;
  close(): Promise<void>;
}

const SANDBOX_FILES = ['./sandbox/config.ts', './sandbox/sandbox.ts'];

async function loadSandbox(): Promise<SandboxModule> {
  if (!existsSync(new URL('sandbox/', import.meta.url))) {
    throw new Error('There is no sandbox here: set USERS_URL, PAYMENTS_URL and POS_URL.');
  }
  const modules = await Promise.all(SANDBOX_FILES.map((file) => import(file)));
  return Object.assign({}, ...modules);
}

/** Runs every reader of settings, so that all complaints are reported at once. */
function readSettings<T extends readonly (() => unknown)[]>(
  ...readers: T
): { [K in keyof T]: T[K] extends () => infer R ? R : never } {
  const complaints: string[] = [];
  const settings = readers.map((read) => {
    try {
      return read();
    } catch (error) {
      const found = (error as { complaints?: readonly string[] }).complaints;
      if (found === undefined) throw error;
      complaints.push(...found);
      return undefined;
    }
  });
  if (complaints.length > 0) {
    console.error(complaints.join('\n'));
    process.exit(2);
  }
  return settings as never;
}

/** `npm start`: the sandbox unless services are given, then the gateway in front of them. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const given = [env.USERS_URL, env.PAYMENTS_URL, env.POS_URL].some((url) => url?.trim());
  const sandboxModule = given ? undefined : await loadSandbox();
  const [config, sandboxConfig] = readSettings(
    () => readGatewayConfig(env),
    () => sandboxModule?.readSandboxConfig(env),
  );
  // Opened by whichever program has no server of its own; both use the same process and folder.
  const embedded = createEmbedded({ dataDir: config.money.dataDir });
  const sandbox =
    sandboxConfig && (await sandboxModule?.startSandbox({ ...sandboxConfig, embedded }));
  const services = sandbox ?? config.services;
  if (services === undefined) throw new Error('No services.');
  const store = await openStore({ ...config.money, embedded }).catch(async (error) => {
    await sandbox?.close();
    throw error;
  });
  const gateway = createGateway({
    ...config,
    store,
    services,
    usersAccess: withDemoApp(config.usersAccess, sandbox),
    ...(sandbox === undefined ? {} : { demoKey: sandbox.demoApp.key }),
  });
  const listening = await listen(gateway, config).catch(async (error) => {
    await Promise.all([gateway.close(), sandbox?.close()]);
    throw error;
  });

  // Before the start screen: who reads it may stop the program at once.
  onStop(env, async () => {
    await listening.close();
    await sandbox?.close();
    process.exit(0);
  });
  printStart({
    url: listening.url,
    services,
    moneyRecord: describeStore(config.money),
    ...(sandbox ? { demoKey: sandbox.demoApp.key, storage: sandbox.storage } : {}),
  });
}

const PARENT_CHECK_MS = 250;

/**
 * Stops once, at SIGINT or SIGTERM. Stopped itself, `npm start` ends only its shell and
 * leaves the program behind: then the program notices that its parent is another.
 */
function onStop(env: NodeJS.ProcessEnv, stop: () => Promise<void>): void {
  let stopping = false;
  const once = () => {
    if (stopping) return;
    stopping = true;
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, once);
  if (env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && once(), PARENT_CHECK_MS).unref();
}

function withDemoApp(rule: GatewayConfig['usersAccess'], sandbox: EmbeddedSandbox | undefined) {
  return rule === '*' || sandbox === undefined ? rule : [...rule, sandbox.demoApp.id];
}

main(process.env).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
