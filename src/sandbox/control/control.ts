import type { OpenPort } from '../http/open-port.ts';
import { jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { createHandler } from '../http/server.ts';
import { LOOPBACK_HOST } from '../ports.ts';
import { createAdmit } from './admit.ts';
import { appOperations } from './apps.ts';
import { clockOperations } from './clock.ts';
import type { Controlled } from './controlled.ts';
import { disputeOperations } from './disputes.ts';
import { describeControl } from './document.ts';
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
  const documentRoute: Route = {
    method: 'GET',
    path: '/openapi.json',
    handle: async () => jsonResponse(200, describeControl(operations, port.url)),
  };
  port.serve(
    createHandler({
      service: 'control',
      routes: [...operations.map(({ route }) => route), documentRoute, ...pageRoutes()],
      log: () => {},
      onBug,
      admit: createAdmit(host),
    }),
  );
}
