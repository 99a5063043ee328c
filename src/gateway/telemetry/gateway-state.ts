import type { Resilience } from '../upstream/breaker.ts';
import type { openServices } from '../upstream/open-services.ts';
import type { RestService } from '../upstream/rest-client.ts';

/** What the connections of one kind to a service do. */
interface ConnectionUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** What can be read of one service at any time. */
export interface ServiceState {
  /** Whether calls are not made at the moment. */
  isStopped(): boolean;
  /** Reads that may still be repeated. */
  retriesLeft(): number;
  /** The connections, by what they are for. */
  connections(): Readonly<Record<string, ConnectionUse>>;
}

/** What can be read of a gateway at any time. */
export interface GatewayState {
  /** Requests that were accepted and not yet answered. */
  activeRequests(): number;
  /** Compiled queries. */
  countPlans(): number;
  readonly services: Readonly<Record<'users' | 'payments', ServiceState>>;
  /** Whether money operations can be recorded: as it was read last, or in the last second. */
  readonly isStored: { latest(): boolean; current(): Promise<boolean> };
  /** What `/ready` answers with. */
  readiness(): { readonly status: number; readonly body: string };
}

/** How many money operations that are not final have a state and an age. */
export interface OpenOperations {
  readonly state: string;
  readonly age: string;
  readonly count: number;
}

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
