import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Ended, type Settings, startNode } from '../support/program.ts';
import type { Answer, Ask } from '../support/start-stack.ts';

/** A gateway in a process of its own, as `npm start` runs it. */
export interface GatewayProcess {
  readonly pid: number;
  /** Sends one operation with the demo key; rejects when the process dies before it answers. */
  readonly ask: Ask;
  readonly ended: Promise<Ended>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

const built = ['dist/main.js'];

/** Settings that put a gateway before a sandbox; `paymentsUrl` may be something in between. */
export function inFrontOf(
  { usersUrl, posUrl, paymentsUrl }: Sandbox,
  between: string = paymentsUrl,
): Settings {
  return { PORT: '0', USERS_URL: usersUrl, POS_URL: posUrl, PAYMENTS_URL: between };
}

/** Starts the built gateway and waits until it serves; killed when the test ends. */
export async function startGatewayProcess(
  settings: Settings,
  demoKey: string,
): Promise<GatewayProcess> {
  const running = startNode(built, settings);
  const [, endpoint = ''] = await running.printed(/GraphiQL +(\S+)\n[\s\S]*\n {2}Data /);
  const { pid, ended, stop } = running;
  return {
    pid,
    ended,
    stop,
    ask: async (query, variables = {}, key = demoKey) => {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ query, variables }),
      });
      return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) };
    },
  };
}

/** Runs the built gateway when it is expected to end by itself; rejects when it serves. */
export async function runGatewayProcess(settings: Settings): Promise<Ended> {
  const { printed, ended } = startNode(built, settings);
  const serves = await printed(/ {2}Data /).then(
    () => true,
    () => false,
  );
  if (serves) throw new Error('It was to end, and serves.');
  return ended;
}
