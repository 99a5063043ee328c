import type { Resilience } from '../upstream/breaker.ts';
import type { openServices } from '../upstream/open-services.ts';
import type { RestService } from '../upstream/rest-client.ts';
import type { GatewayState } from './gateway-state.ts';

type Opened = ReturnType<typeof openServices>;

/** Makes what can be read of each service out of its connections and what its calls share. */
export function readServiceStates(
  { users, payments }: Opened['resilience'],
  services: Pick<Opened, 'users' | 'payments' | 'moneyPayments'>,
): GatewayState['services'] {
  return {
    users: { ...read(users), connections: () => useOf(services.users, '') },
    payments: {
      ...read(payments),
      connections: () => ({
        ...useOf(services.payments, ''),
        ...useOf(services.moneyPayments, 'money '),
      }),
    },
  };
}

function read({ breaker, retryBudget }: Resilience) {
  return { isStopped: breaker.isOpen, retriesLeft: retryBudget.left };
}

function useOf({ use }: Pick<RestService, 'use'>, before: string) {
  return Object.fromEntries(
    Object.entries(use()).map(([kind, connections]) => [`${before}${kind}`, connections]),
  );
}
