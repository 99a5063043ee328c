import type { Epochs } from '../execution/epochs.ts';
import { PLACES } from '../money/parts.ts';
import type { GatewaySettings, ServiceUrls } from '../settings/settings.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { logFailedCalls } from '../telemetry/log-failures.ts';
import { createResilience } from './breaker.ts';
import { createKeyCheck } from './key-check.ts';
import { createRestService } from './rest-client.ts';

/** Connections for the reads of money operations. */
const MONEY_READS = 64;

/** What the connections to the services are opened with. */
export interface ServicesOptions
  extends Pick<GatewaySettings, 'limits' | 'pageMax' | 'upstream' | 'freezesReads' | 'workers'> {
  readonly services: ServiceUrls;
  /** Called with messages for the operator. */
  readonly report?: (message: string) => void;
  /** Where calls that have failed are logged; nowhere if left out. */
  readonly requestLog?: Log;
}

/**
 * Opens the connections to both services. Only the payments service checks keys. Money
 * operations have connections of their own, so that no query makes them wait.
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
    requestLog = createLog('off'),
  }: ServicesOptions,
  epochs: Epochs,
) {
  const { connections } = upstream;
  const resilience = {
    payments: createResilience('payments', upstream.resilience, report),
    users: createResilience('users', upstream.resilience, report),
  };
  const failedCalls = logFailedCalls(requestLog);
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
    onFailure: failedCalls.note,
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
      onFailure: failedCalls.note,
      flights: epochs.createFlights('upstream'),
    }),
    payments: createRestService({
      ...payments,
      keyCheck,
      flights: epochs.createFlights('upstream'),
    }),
    moneyPayments: createRestService({
      ...payments,
      readsAnew: true,
      connections: {
        ...connections,
        reads: Math.ceil(MONEY_READS / workers),
        writes: Math.ceil(PLACES / workers),
        hasOwnWriteShares: true,
        // MAX_IN_FLIGHT bounds them, and a caller who waits loses nothing.
        queue: Number.POSITIVE_INFINITY,
      },
    }),
  };
  return {
    ...opened,
    resilience,
    noteUnreadable: failedCalls.noteField,
    /** Whether the payments service has accepted the key of an owner. */
    isProven: keyCheck.isProven,
    /** Calls both services again, as if no call of this process had failed. */
    resumeCalls: () => {
      for (const { breaker } of Object.values(resilience)) breaker.reset();
    },
    /** Closes the connections. */
    closeServices: async () => {
      await Promise.all(Object.values(opened).map(({ close }) => close()));
      failedCalls.stop();
    },
  };
}
