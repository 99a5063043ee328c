import type { Resilience } from '../upstream/breaker.ts';
import type { openServices } from '../upstream/open-services.ts';
import type { RestService } from '../upstream/rest-client.ts';

/** Numbers of connections of one kind to a service. `waiting` counts calls that wait for one. */
interface ConnectionUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The current state of one service. */
export interface ServiceState {
  /** Whether the gateway currently makes no calls, because the circuit breaker is open. */
  isStopped(): boolean;
  /** Number of reads that may still be retried. */
  retriesLeft(): number;
  /** The connections, by their purpose. */
  connections(): Readonly<Record<string, ConnectionUse>>;
}

/** The current state of a gateway. */
export interface GatewayState {
  /** Number of requests that were accepted and have no response yet. */
  activeRequests(): number;
  /** Number of open subscriptions. */
  countSubscriptions(): number;
  /** Number of compiled operations. */
  countPlans(): number;
  readonly services: Readonly<Record<'users' | 'payments', ServiceState>>;
  /** Whether money operations can be stored, as last checked, or as checked in the last second. */
  readonly isStored: { latest(): boolean; current(): Promise<boolean> };
  /** The response of `/ready`. */
  readiness(): { readonly status: number; readonly body: string };
}

/** Number of money operations with one state and age that are not final. */
export interface OpenOperations {
  readonly state: string;
  readonly age: string;
  readonly count: number;
}

/** The state of the replica. */
export interface ReplicaState {
  /** How many merchants are in each state. */
  readonly merchants: Readonly<Record<string, number>>;
  readonly lagSeconds: number;
  readonly overdue: number;
  readonly records: number;
  readonly repaired: number;
  readonly calls: number;
  readonly eventLagSeconds: number;
  /** Deliveries that are attempted again. */
  readonly pending: number;
  /** How old the oldest of them is. */
  readonly oldestSeconds: number;
  /** Endpoints to which nothing is sent. */
  readonly disabled: number;
}

type Opened = ReturnType<typeof openServices>;

/** Creates the state of each service from its connections, its breaker and its retry budget. */
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
