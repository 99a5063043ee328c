import { type Control, createControl } from '../../src/sandbox/testing/control-client.ts';
import { startSandbox } from '../../src/sandbox/testing/start.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

/** A sandbox with its control interface. */
export interface Subject {
  readonly control: Control;
  readonly controlUrl: string;
  readonly users: RestCaller;
  /** The payments service with the key of the demo app. */
  readonly payments: RestCaller;
  readonly posUrl: string;
  readonly app: { readonly id: string; readonly key: string };
  close(): Promise<void>;
}

/** The demo merchants. */
export const EUR_MERCHANT = '6a1d3c007469000061c5ff45';
export const DKK_MERCHANT = '6a1d3c007469000061c5ff46';

/** Over HTTP, on the database of the test project. */
async function overHttp(): Promise<Subject> {
  const sandbox = await startTestSandbox({ controlPort: 0 });
  const { controlUrl = '', demoApp: app, close } = sandbox;
  return subjectOf({ ...sandbox, controlUrl, app, close, ...createControl(controlUrl) });
}

/** As a test file of others starts it, on a database in memory. */
async function fromEntry(): Promise<Subject> {
  return subjectOf(await startSandbox());
}

function subjectOf(
  started: Control &
    Pick<Subject, 'controlUrl' | 'posUrl' | 'app' | 'close'> & {
      readonly usersUrl: string;
      readonly paymentsUrl: string;
    },
): Subject {
  const { controlUrl, posUrl, app, close } = started;
  return {
    control: started,
    ...{ controlUrl, posUrl, app, close },
    users: rest(started.usersUrl),
    payments: rest(started.paymentsUrl, app.key),
  };
}

/** Both ways in which people use the controls. */
export const ways = [
  ['over HTTP', overHttp],
  ['from startSandbox', fromEntry],
] as const;
