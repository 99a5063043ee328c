import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { type Ask, createAsk } from './ask.ts';
import { type Ended, type Running, spawnProcess, startProcess } from './process.ts';
import { preparedDataDir, preparedPostgres, scratchFolder } from './storage.ts';

/** The environment variables of a program, in addition to PATH and HOME. */
export type Settings = Readonly<Record<string, string>>;

/** The program that `npm start` runs. */
export interface Program extends Running {
  /** The startup output, from its first line to its last. */
  readonly screen: string;
  /** Address of the gateway, without `/graphql`. */
  readonly url: string;
  readonly demoKey: string;
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  /** The location of the data, from the startup output. */
  readonly storage: string;
  /** The address of the metrics, or `-` and a hint. */
  readonly metricsUrl: string;
  /** Sends one operation with the demo key; `null` sends none. */
  readonly ask: Ask;
}

/** The project's folder. */
export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** The compiled entry of the gateway. */
const MAIN = ['bin/gateway.js'];

/** Settings of a process that is never too slow to take another request. */
const patientLoad: Settings = { MAX_IN_FLIGHT: '10000', SHED_LOOP_DELAY_MS: '3600000' };

/** Settings of a gateway for which no machine is too slow. */
export const patientSettings: Settings = {
  ...patientLoad,
  UPSTREAM_GET_ATTEMPT_MS: '60000',
  UPSTREAM_WRITE_MS: '60000',
  REQUEST_DEADLINE_MS: '300000',
  MONEY_LEASE_MS: '3600000',
};

/** Settings that make every server pick a free port, and reject no request because of its load. */
export const freePorts: Settings = {
  ...patientLoad,
  PORT: '0',
  SANDBOX_USERS_PORT: '0',
  SANDBOX_PAYMENTS_PORT: '0',
  SANDBOX_POS_PORT: '0',
  SANDBOX_CONTROL_PORT: '0',
};

/** An empty folder of this test. */
export function emptyFolder(): string {
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A DATA_DIR of this test with the demo data and no money operations. */
export function usedFolder(): string {
  const folder = preparedDataDir();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Settings for a database of this test in PostgreSQL with the demo data. The program starts in
 * half the time of one with an embedded database.
 */
export async function usedPostgres(): Promise<Settings & { readonly DATA_DIR: string }> {
  const url = await preparedPostgres();
  return { DATA_DIR: emptyFolder(), DATABASE_URL: url, SANDBOX_DATABASE_URL: url };
}

/** Starts a file of a project like {@link spawnNode}; killed when the test ends. */
export function startNode(
  args: readonly string[],
  settings: Settings,
  project: string = projectFolder,
  cwd: string = emptyFolder(),
): Running {
  return startProcess(process.execPath, toArguments(project, args), { cwd, env: settings });
}

/**
 * Starts a file of a project with nothing but the given settings. The caller has to stop it.
 *
 * @param cwd where it runs; a file `.env` there would be read
 */
export function spawnNode(
  args: readonly string[],
  settings: Settings,
  project: string,
  cwd: string,
): Running {
  return spawnProcess(process.execPath, toArguments(project, args), { cwd, env: settings });
}

function toArguments(project: string, [file = '', ...args]: readonly string[]): string[] {
  return [...inject('nodeFlags'), join(project, file), ...args];
}

/** Starts the program on free ports and waits for its startup output. */
export async function startProgram(
  settings: Settings & { readonly DATA_DIR: string },
  args: readonly string[] = MAIN,
  project: string = projectFolder,
): Promise<Program> {
  const running = startNode(args, { ...freePorts, ...settings }, project);
  const { 0: screen } = await running.printed(/[\s\S]*\n {2}Metrics +.+\n/);
  const endpoint = screen.includes('GraphiQL') ? 'GraphiQL' : 'Endpoint';
  const url = shown(screen, endpoint).replace(/\/graphql$/, '');
  const demoKey = shown(screen, 'Demo key');
  return {
    ...running,
    screen,
    url,
    demoKey,
    usersUrl: shown(screen, 'User records'),
    paymentsUrl: shown(screen, 'Payments'),
    posUrl: shown(screen, 'Payment page'),
    storage: shown(screen, 'Data'),
    metricsUrl: shown(screen, 'Metrics'),
    ask: createAsk(url, demoKey),
  };
}

/** Runs a program that is expected to end. */
export function runProgram(
  settings: Settings & { readonly DATA_DIR: string },
  args: readonly string[] = MAIN,
  project: string = projectFolder,
): Promise<Ended> {
  return startNode(args, { ...freePorts, ...settings }, project).ended;
}

/** The value beside a label of the startup output, without the remark after it. */
function shown(screen: string, label: string): string {
  const value = new RegExp(`^ {2}${label} +(.+?)(?: {2,}.*)?$`, 'm').exec(screen)?.[1];
  if (value === undefined) throw new Error(`The startup output has no "${label}":\n${screen}`);
  return value;
}

/** A port that is in use until the test ends. */
export async function takenPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  return String((server.address() as AddressInfo).port);
}
