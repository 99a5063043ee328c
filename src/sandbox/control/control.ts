import { documentRoute, type ServiceDescription } from '../http/document.ts';
import type { OpenPort } from '../http/open-port.ts';
import { createHandler } from '../http/server.ts';
import { LOOPBACK_HOST } from '../ports.ts';
import { createAdmit } from './admit.ts';
import { appOperations } from './apps.ts';
import { clockOperations } from './clock.ts';
import type { Controlled } from './controlled.ts';
import { disputeOperations } from './disputes.ts';
import { faultOperations } from './faults.ts';
import { fraudAlertOperations } from './fraud-alerts.ts';
import { infoOperations } from './info.ts';
import { pageRoutes } from './page.ts';
import { paymentOperations } from './payments.ts';
import { payoutOperations } from './payouts.ts';
import { recordOperations } from './records.ts';
import { resetOperations } from './reset.ts';
import { sceneOperations } from './scenes.ts';
import { snapshotOperations } from './snapshots.ts';
import { testCardOperations } from './test-cards.ts';

const service: ServiceDescription = {
  title: 'Control interface of the Tillgraph sandbox',
  description:
    'Changes how the sandbox behaves. It needs no key, and accepts requests of this machine only unless the sandbox was started otherwise. Bodies are JSON: send `content-type: application/json`, unless the body is empty.',
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
