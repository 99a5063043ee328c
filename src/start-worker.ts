import { createEmbedded } from './database/embedded.ts';
import { divideLimits } from './gateway/divide-limits.ts';
import { createEpochs } from './gateway/epochs.ts';
import { createLog } from './gateway/log.ts';
import { openPersistedDocuments } from './gateway/open-persisted-documents.ts';
import { openStore } from './gateway/operation/store/open-store.ts';
import type { GatewaySettings } from './gateway/settings.ts';
import { startGateway } from './start-gateway.ts';
import { connectToPrimary } from './workers/connect-primary.ts';

/** Starts the worker that this process is. */
export async function startWorker(all: GatewaySettings): Promise<void> {
  const settings = divideLimits(all);
  const { services, money, coalesce } = settings;
  if (services === undefined) throw new Error('No services.');
  const { bug } = createLog(settings.log.level ?? 'info');
  const primary = connectToPrimary(settings.upstream.resilience, bug);
  const { gateway, started, close } = await startGateway(settings, {
    services,
    documents: await openPersistedDocuments(settings),
    store: await openStore({ ...money, embedded: createEmbedded({ ...money, use: 'GATEWAY' }) }),
    epochs: createEpochs(coalesce),
    primary,
  });
  let isStopping = false;
  primary.onStop((reason) => {
    if (isStopping) return;
    isStopping = true;
    void close(reason !== 'SIGINT', reason === 'REPLACED').then(() => process.exit(0));
  });
  primary.started(started, gateway.state);
}
