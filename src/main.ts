import { existsSync } from 'node:fs';
import { type GatewayConfig, readGatewayConfig, type ServiceUrls } from './gateway/config.ts';
import { listen } from './gateway/listen.ts';
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
  const sandbox = sandboxConfig && (await sandboxModule?.startSandbox(sandboxConfig));
  const services = sandbox ?? config.services;
  if (services === undefined) throw new Error('No services.');
  const gateway = createGateway({
    ...config,
    services,
    usersAccess: withDemoApp(config.usersAccess, sandbox),
    ...(sandbox === undefined ? {} : { demoKey: sandbox.demoApp.key }),
  });
  const listening = await listen(gateway, config).catch(async (error) => {
    await Promise.all([gateway.close(), sandbox?.close()]);
    throw error;
  });

  async function stop(): Promise<void> {
    await listening.close();
    await sandbox?.close();
    process.exit(0);
  }
  // Before the start screen: who reads it may stop the program at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
  printStart({
    url: listening.url,
    services,
    ...(sandbox ? { demoKey: sandbox.demoApp.key, storage: sandbox.storage } : {}),
  });
}

function withDemoApp(rule: GatewayConfig['usersAccess'], sandbox: EmbeddedSandbox | undefined) {
  return rule === '*' || sandbox === undefined ? rule : [...rule, sandbox.demoApp.id];
}

main(process.env).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
