import type { GatewaySettings, ServiceUrls } from '../settings/settings.ts';
import { createResilience } from './breaker.ts';
import type { Epochs } from './epochs.ts';
import { createKeyCheck } from './key-check.ts';
import type { FailedCall } from './reason.ts';
import { createRestService } from './rest-client.ts';

/** Connections for the reads of money operations. */
const MONEY_READS = 64;

/** Options for the connections to the services. */
export interface ServicesOptions
  extends Pick<GatewaySettings, 'limits' | 'pageMax' | 'upstream' | 'freezesReads' | 'workers'> {
  readonly services: ServiceUrls;
  /** Called with messages for the operator. */
  readonly report?: (message: string) => void;
  /** Called when a call fails. */
  readonly onFailure?: (failed: FailedCall) => void;
  /** Connections for the writes of money operations. */
  readonly moneyWrites: number;
}

/**
 * Opens the connections to both services. Only the payments service checks keys. Money operations
 * have their own connections, so that queries cannot make them wait.
 */
export function openServices(
  {
    services,
    limits,
    pageMax,
    upstream,
    freezesReads,
    workers,
    report,
    onFailure,
    moneyWrites,
  }: ServicesOptions,
  epochs: Epochs,
) {
  const { connections } = upstream;
  const resilience = {
    payments: createResilience('payments', upstream.resilience, report),
    users: createResilience('users', upstream.resilience, report),
  };
  const keyCheck = createKeyCheck();
  const payments = {
    service: 'payments',
    baseUrl: services.paymentsUrl,
    limits,
    pageMax,
    needsCredential: true,
    connections,
    resilience: resilience.payments,
    freezesReads,
    onWrite: epochs.raise,
    ...(onFailure && { onFailure }),
  } as const;
  const opened = {
    users: createRestService({
      service: 'users',
      baseUrl: services.usersUrl,
      limits,
      pageMax,
      needsCredential: false,
      connections,
      resilience: resilience.users,
      freezesReads,
      onWrite: epochs.raise,
      ...(onFailure && { onFailure }),
      flights: epochs.createFlights('upstream'),
    }),
    payments: createRestService({
      ...payments,
      keyCheck,
      flights: epochs.createFlights('upstream'),
    }),
    moneyPayments: createRestService({
      ...payments,
      readsFresh: true,
      connections: {
        ...connections,
        reads: Math.ceil(MONEY_READS / workers),
        writes: moneyWrites,
        hasOwnWriteShares: true,
        // MAX_IN_FLIGHT limits these calls, and a caller who waits loses nothing.
        queue: Number.POSITIVE_INFINITY,
      },
    }),
  };
  return {
    ...opened,
    resilience,
    /** Whether the payments service has accepted an owner's key. */
    isProven: keyCheck.isProven,
    /** Resumes calls to both services, as if no call of this process had failed. */
    resumeCalls: () => {
      for (const { breaker } of Object.values(resilience)) breaker.reset();
    },
    /** Closes the connections. */
    closeServices: async () => {
      await Promise.all(Object.values(opened).map(({ close }) => close()));
    },
  };
}
