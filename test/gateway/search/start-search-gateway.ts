import type { GatewayReplica } from '../../../src/gateway/gateway.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';
import { fastSync, startGateway } from '../../support/start-stack.ts';
import type { LedgerService } from './ledger-service.ts';

/** A gateway whose searches make few calls, which bring few items. */
export type SearchGateway = Awaited<ReturnType<typeof startGateway>>;

interface SearchOptions {
  readonly maxSearchCalls: number;
  readonly pageMax: number;
  /** Default: none, so that every search is a scan. */
  readonly replica?: GatewayReplica;
}

/** Starts a gateway in front of a service that can only page its lists. */
export function startSearchGateway(
  { url }: LedgerService,
  { maxSearchCalls, pageMax, replica }: SearchOptions,
): Promise<SearchGateway> {
  return startGateway({
    services: { usersUrl: url, paymentsUrl: url, posUrl: url },
    upstream: { ...patientGateway.upstream, maxSearchCalls },
    pageMax,
    ...(replica && { replica, sync: fastSync }),
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
}
