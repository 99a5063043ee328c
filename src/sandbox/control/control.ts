import type { IncomingMessage } from 'node:http';
import { documentRoute, type ServiceDescription } from '../http/document.ts';
import { httpError } from '../http/http-error.ts';
import type { OpenPort } from '../http/open-port.ts';
import { createHandler } from '../http/server.ts';
import { isLoopback, LOOPBACK_HOST } from '../ports.ts';
import { clockOperations } from './clock.ts';
import type { Controlled } from './controlled.ts';
import { disputeOperations, fraudAlertOperations } from './disputes.ts';
import { faultOperations } from './faults.ts';
import { inboxOperations, messageOperations } from './inboxes.ts';
import { appOperations, infoOperations } from './info.ts';
import { pageRoutes } from './page.ts';
import { paymentOperations } from './payments.ts';
import { payoutOperations } from './payouts.ts';
import { recordOperations } from './records.ts';
import { sceneOperations } from './scenes.ts';
import { resetOperations, snapshotOperations } from './snapshots.ts';
import { testCardOperations } from './test-cards.ts';

const service: ServiceDescription = {
  title: 'Control interface of the Tillgraph sandbox',
  description:
    'Changes how the sandbox behaves. It needs no key, and accepts requests of this machine only unless the sandbox was started otherwise. Bodies are JSON: send `content-type: application/json`, unless the body is empty or a message to an inbox.',
  errors: {
    403: 'The request comes from a page of another origin, or names another host.',
    409: 'The state of the records does not allow it.',
    415: 'The body is not JSON.',
  },
};

/** Serves the control interface, its OpenAPI document and its page. */
export function serveControl(
  port: OpenPort,
  host: string = LOOPBACK_HOST,
  controlled: Controlled,
  onBug: (error: unknown, requestId: string) => void,
): void {
  const operations = [
    ...infoOperations(controlled),
    ...faultOperations(controlled),
    ...clockOperations(controlled),
    ...resetOperations(controlled),
    ...snapshotOperations(controlled),
    ...sceneOperations(controlled),
    ...testCardOperations(),
    ...paymentOperations(controlled),
    ...disputeOperations(controlled),
    ...fraudAlertOperations(controlled),
    ...payoutOperations(controlled),
    ...appOperations(controlled),
    ...recordOperations(controlled),
    ...inboxOperations(controlled),
    ...messageOperations(controlled),
  ];
  port.serve(
    createHandler({
      service: 'control',
      routes: [...operations, ...pageRoutes(), documentRoute(service, operations, port.url)],
      log: () => {},
      onBug,
      admit: createAdmit(host),
    }),
  );
}

/**
 * Returns the check that every request to the control interface must pass. Any web page can send
 * requests to a loopback address: they have the origin of that page, or, if a name of that page
 * resolves to the address, its name as the host.
 */
function createAdmit(listensOn: string): (message: IncomingMessage) => void {
  return ({ headers: { host = '', origin } }) => {
    if (isLoopback(listensOn) && !isLoopback(host)) {
      throw httpError(403, 'The header `host` must name a loopback address');
    }
    if (origin !== undefined && origin !== `http://${host}`) {
      throw httpError(403, 'Pages of other origins may not use the control interface');
    }
  };
}
