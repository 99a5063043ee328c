import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';
import { startGateway } from '../../support/start-stack.ts';
import type { LedgerService } from './ledger-service.ts';

/** A gateway whose searches make few calls, which bring few items. */
export type SearchGateway = Awaited<ReturnType<typeof startGateway>>;

/** Starts a gateway in front of a service that can only page its lists. */
export function startSearchGateway(
  { url }: LedgerService,
  { maxSearchCalls, pageMax }: { readonly maxSearchCalls: number; readonly pageMax: number },
): Promise<SearchGateway> {
  return startGateway({
    services: { usersUrl: url, paymentsUrl: url, posUrl: url },
    upstream: { ...patientGateway.upstream, maxSearchCalls },
    pageMax,
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
}
