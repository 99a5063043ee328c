import type { Running } from '../../support/process.ts';
import { freePorts, type Settings, startNode } from '../../support/program.ts';
import { type RestCaller, rest } from '../../support/rest.ts';

const KEY = 'kill-key';

/** The sandbox in its own process. */
export interface SandboxProcess extends Running {
  readonly users: RestCaller;
  readonly payments: RestCaller;
  readonly posUrl: string;
}

/** Starts the built sandbox and waits until it serves; killed when the test ends. */
export async function startSandboxProcess(settings: Settings): Promise<SandboxProcess> {
  const running = startNode(['bin/tillgraph-sandbox.js'], {
    ...freePorts,
    ...settings,
    SANDBOX_DEMO_KEY: KEY,
  });
  const [, usersUrl = '', paymentsUrl = '', posUrl = ''] = await running.printed(
    /User records +(\S+)\nPayments +(\S+)\nPayment page +(\S+)\n/,
  );
  return { ...running, users: rest(usersUrl), payments: rest(paymentsUrl, KEY), posUrl };
}
