import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Attributes, ObservableResult } from '@opentelemetry/api';
import type { GatewayState, OpenOperations, ReplicaState, ServiceState } from './gateway-state.ts';
import type { Metrics } from './metrics.ts';

/** What is read when the metrics are collected. */
export interface Readable {
  readonly gateway: GatewayState;
  countOpenOperations(): Promise<readonly OpenOperations[]>;
  /** The state of the replica; undefined without one. */
  readonly measureReplica?: (() => Promise<ReplicaState>) | undefined;
  readonly version: string;
}

/**
 * Reads the gateway and the process at each collection. Returns a function that stops the reads of
 * the store, because the store is closed before the last collection.
 */
export function readGauges(metrics: Metrics, { gateway, ...readable }: Readable): () => void {
  const ofServices = (read: (service: ServiceState) => number) => (result: ObservableResult) => {
    for (const [name, service] of Object.entries(gateway.services)) {
      result.observe(read(service), { 'tillgraph.service': name });
    }
  };
  metrics.activeRequests.addCallback((result) => result.observe(gateway.activeRequests()));
  metrics.subscriptions.addCallback((result) => result.observe(gateway.countSubscriptions()));
  metrics.plans.addCallback((result) => result.observe(gateway.countPlans()));
  metrics.breakerOpen.addCallback(ofServices((service) => Number(service.isStopped())));
  metrics.retryBudgetLeft.addCallback(ofServices((service) => service.retriesLeft()));
  metrics.restConnections.addCallback((result) => readConnections(result, gateway));
  const readStore = async (result: ObservableResult) =>
    result.observe(Number(await gateway.isStored.current()));
  metrics.storeAvailable.addCallback(readStore);
  const readOperations = createOperationReader(readable.countOpenOperations);
  metrics.openMoneyOperations.addCallback(readOperations);
  metrics.build.addCallback((result) =>
    result.observe(1, {
      'service.version': readable.version,
      'process.runtime.version': process.version,
    }),
  );
  const stopReplica = readReplica(metrics, readable.measureReplica);
  const stopProcess = readProcess(metrics);
  return () => {
    metrics.storeAvailable.removeCallback(readStore);
    metrics.openMoneyOperations.removeCallback(readOperations);
    stopReplica();
    stopProcess();
  };
}

function readConnections(result: ObservableResult, { services }: GatewayState): void {
  for (const [service, { connections }] of Object.entries(services)) {
    for (const [use, counts] of Object.entries(connections())) {
      for (const state of ['used', 'idle', 'waiting'] as const) {
        result.observe(counts[state], {
          'tillgraph.service': service,
          'tillgraph.use': use,
          'tillgraph.state': state,
        });
      }
    }
  }
}

/** The SDK repeats the last value of attributes that are no longer observed, so these report 0. */
function createOperationReader(count: Readable['countOpenOperations']) {
  const seen = new Map<string, Attributes>();
  return async (result: ObservableResult): Promise<void> => {
    const counts = new Map<string, number>();
    for (const open of await count()) {
      const key = `${open.state} ${open.age}`;
      seen.set(key, { 'tillgraph.money.state': open.state, 'tillgraph.age': open.age });
      counts.set(key, open.count);
    }
    for (const [key, attributes] of seen) result.observe(counts.get(key) ?? 0, attributes);
  };
}

/** Reads the replica, which is in a database, too. Returns a function that stops the reads. */
function readReplica(metrics: Metrics, measure: Readable['measureReplica']): () => void {
  if (measure === undefined) return () => {};
  const of =
    (read: (state: ReplicaState) => number) =>
    async (result: ObservableResult): Promise<void> =>
      result.observe(read(await measure()));
  const readMerchants = async (result: ObservableResult) => {
    for (const [state, count] of Object.entries((await measure()).merchants)) {
      result.observe(count, { 'tillgraph.state': state });
    }
  };
  const reads = [
    [metrics.syncMerchants, readMerchants],
    [metrics.syncLag, of(({ lagSeconds }) => lagSeconds)],
    [metrics.syncOverdue, of(({ overdue }) => overdue)],
    [metrics.syncRecords, of(({ records }) => records)],
    [metrics.syncRepaired, of(({ repaired }) => repaired)],
    [metrics.syncCalls, of(({ calls }) => calls)],
    [metrics.eventLag, of(({ eventLagSeconds }) => eventLagSeconds)],
    [metrics.webhooksPending, of(({ pending }) => pending)],
    [metrics.webhooksOldest, of(({ oldestSeconds }) => oldestSeconds)],
    [metrics.webhooksDisabled, of(({ disabled }) => disabled)],
  ] as const;
  for (const [metric, read] of reads) metric.addCallback(read);
  return () => {
    for (const [metric, read] of reads) metric.removeCallback(read);
  };
}

function readProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  metrics.loopDelay.addCallback((result) => {
    result.observe(delay.percentile(99) / 1e9);
    delay.reset();
  });
  metrics.processMemory.addCallback((result) => result.observe(process.memoryUsage.rss()));
  metrics.processUptime.addCallback((result) => result.observe(process.uptime()));
  metrics.processCpu.addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe(user / 1e6, { 'cpu.mode': 'user' });
    result.observe(system / 1e6, { 'cpu.mode': 'system' });
  });
  return () => delay.disable();
}
