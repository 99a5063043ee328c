import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { GatewayState, OpenOperations, ServiceState } from './gateway-state.ts';
import * as metrics from './metrics.ts';
import type { Reading, Registry } from './registry.ts';

/** What is read when the metrics are collected. */
export interface Readable {
  readonly gateway: GatewayState;
  countOpenOperations(): Promise<readonly OpenOperations[]>;
  readonly version: string;
}

/** Reads the gateway and the process at each collection. Returns what stops that. */
export function readGauges(registry: Registry, { gateway, ...readable }: Readable): () => void {
  const { observe } = registry;
  const ofServices = (read: (service: ServiceState) => number) => (): Reading[] =>
    Object.entries(gateway.services).map(([name, service]) => [read(service), name]);
  observe(metrics.activeRequests, () => [[gateway.activeRequests()]]);
  observe(metrics.plans, () => [[gateway.countPlans()]]);
  observe(
    metrics.breakerOpen,
    ofServices((service) => Number(service.isStopped())),
  );
  observe(
    metrics.retryBudgetLeft,
    ofServices((service) => service.retriesLeft()),
  );
  observe(metrics.restConnections, () => readConnections(gateway));
  observe(metrics.storeAvailable, async () => [[Number(await gateway.isStored.current())]]);
  observe(metrics.openMoneyOperations, async () =>
    (await readable.countOpenOperations()).map(({ state, age, count }) => [count, state, age]),
  );
  observe(metrics.series, () => [[registry.count()]]);
  observe(metrics.build, () => [[1, readable.version, process.version]]);
  return readProcess(registry);
}

function readConnections({ services }: GatewayState): Reading[] {
  return Object.entries(services).flatMap(([name, service]) =>
    Object.entries(service.connections()).flatMap(([use, { used, idle, waiting }]): Reading[] => [
      [used, name, use, 'used'],
      [idle, name, use, 'idle'],
      [waiting, name, use, 'waiting'],
    ]),
  );
}

function readProcess({ observe }: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  observe(metrics.loopDelay, () => {
    const late = delay.percentile(99) / 1e9;
    delay.reset();
    return [[late]];
  });
  observe(metrics.processMemory, () => [[process.memoryUsage.rss()]]);
  observe(metrics.processCpu, () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / 1e6, 'user'],
      [system / 1e6, 'system'],
    ];
  });
  return () => delay.disable();
}
