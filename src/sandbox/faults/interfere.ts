import type { Controlled } from '../control/controlled.ts';
import type { Environment } from '../environment.ts';
import type { ServiceOptions } from '../http/server.ts';
import type { Invite } from '../payments/invitations.ts';
import { routesOf, type ServiceName } from '../routes.ts';
import { readAsOf } from '../state/as-of.ts';
import { applyFault } from './apply-fault.ts';
import { merchantOf } from './merchant-of.ts';

/** Returns what happens to each request of a service: the fault that affects it, or nothing. */
export function createInterfere(
  service: ServiceName,
  environment: Environment,
  { faults, closing }: Pick<Controlled, 'faults' | 'closing'>,
  invite: Invite,
): NonNullable<ServiceOptions['interfere']> {
  const { database } = environment;
  return async ({ route, request }, settle) => {
    const handle = () => settle(() => route.handle(request));
    const fault = await faults.find({
      service,
      method: route.method,
      route: route.path,
      merchantId: () => merchantOf(database, route, request),
    });
    if (fault === undefined) return { kind: 'complete', response: await handle() };
    return applyFault(fault, {
      handle,
      closing,
      handleAsOf: (agoMs) =>
        readAsOf(database, agoMs, (past) => {
          const routes = routesOf({ ...environment, database: past }, invite)[service];
          const same = routes.find(
            ({ method, path }) => method === route.method && path === route.path,
          );
          return settle(() => (same ?? route).handle(request));
        }),
    });
  };
}
