import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type Ask, createAsk } from '../../support/ask.ts';
import type { Ended, Running } from '../../support/process.ts';
import {
  patientSettings,
  projectFolder,
  type Settings,
  spawnNode,
  startNode,
} from '../../support/program.ts';
import { scratchFolder } from '../../support/storage.ts';

/** A gateway in its own process, as `npm start` runs it. */
export interface GatewayProcess extends Pick<Running, 'pid' | 'ended' | 'stop'> {
  /** Address of the gateway, without `/graphql`. */
  readonly url: string;
  /** Sends one operation with the demo key; rejects if the process ends before it answers. */
  readonly ask: Ask;
}

const BUILT = ['bin/gateway.js'];

/** Settings of a gateway in front of a sandbox; `paymentsUrl` may be that of a proxy. */
export function settingsFor(
  { usersUrl, posUrl, paymentsUrl }: Pick<Sandbox, 'usersUrl' | 'posUrl' | 'paymentsUrl'>,
  proxyUrl: string = paymentsUrl,
): Settings {
  return {
    ...patientSettings,
    PORT: '0',
    USERS_URL: usersUrl,
    POS_URL: posUrl,
    PAYMENTS_URL: proxyUrl,
  };
}

/** Starts the built gateway and waits until it serves requests; killed when the test ends. */
export function startGatewayProcess(settings: Settings, demoKey: string): Promise<GatewayProcess> {
  return untilServing(startNode(BUILT, settings), demoKey);
}

/** Starts the built gateway for several tests. The caller has to stop it. */
export function spawnGatewayProcess(
  settings: Settings,
  demoKey: string,
  project: string = projectFolder,
): Promise<GatewayProcess> {
  return untilServing(spawnNode(BUILT, settings, project, scratchFolder()), demoKey);
}

async function untilServing(running: Running, demoKey: string): Promise<GatewayProcess> {
  const [, url = ''] = await running.printed(/GraphiQL +(\S+)\/graphql\n[\s\S]*\n {2}Data /);
  const { pid, ended, stop } = running;
  return { pid, ended, stop, url, ask: createAsk(url, demoKey) };
}

/** Runs the built gateway when it is expected to end without serving; rejects if it serves. */
export async function runGatewayProcess(settings: Settings): Promise<Ended> {
  const { printed, ended } = startNode(BUILT, settings);
  const serves = await printed(/ {2}Data /).then(
    () => true,
    () => false,
  );
  if (serves) throw new Error('The gateway was expected to end, but it serves requests.');
  return ended;
}
