import cluster from 'node:cluster';
import { breakers } from '../gateway/channels.ts';
import type { GatewayState } from '../gateway/observe/gateway-state.ts';
import type { ResilienceSettings } from '../gateway/rest/resilience.ts';
import type { Started } from '../startup-output.ts';
import type { PrimaryOffer, StopReason, WorkerOffer } from './contract.ts';
import { connectPeer } from './peer.ts';
import { createSharedResilience, type SharedResilience } from './shared-resilience.ts';

/** The primary, for the worker that runs in this process. */
export interface Primary {
  readonly sharedResilience: Readonly<Record<'users' | 'payments', SharedResilience>>;
  /** Says that the worker accepts requests. */
  started(started: Started, state: GatewayState): void;
  /** Calls the function when the worker has to stop. Before that, the process just ends. */
  onStop(stop: (reason: StopReason) => void): void;
}

const FLUSH_EVERY_MS = 1_000;

/** Connects the worker in this process with its primary. */
export function connectToPrimary(
  resilience: ResilienceSettings,
  onBug: (error: unknown) => void,
): Primary {
  const { worker } = cluster;
  if (worker === undefined) throw new Error('This process is not a worker.');
  let stop: (reason: StopReason) => void = () => process.exit(0);
  let state: GatewayState | undefined;
  const offer: WorkerOffer = {
    stop: (reason) => stop(reason),
    gather: (service) => sharedResilience[service].gather(),
    setBreaker: (service, breaker) => sharedResilience[service].setState(breaker),
    readReadiness: () => state?.readiness() ?? { status: 503, body: '{"status":"starting"}' },
  };
  const primary = connectPeer<PrimaryOffer>(
    {
      send: (message) => {
        if (process.connected) process.send?.(message, undefined, undefined, () => {});
      },
      onMessage: (listener) => process.on('message', listener),
      onEnd: (listener) => process.once('disconnect', listener),
    },
    offer,
    onBug,
  );
  worker.once('disconnect', () => {
    // The primary is gone. Without this, Node ends the process with the requests that are running.
    worker.exitedAfterDisconnect = true;
    stop('SIGINT');
  });
  // The primary decides when workers stop for a signal to all processes of a terminal.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => stop('SIGTERM'));

  const open = (service: 'users' | 'payments') =>
    createSharedResilience(service, resilience, primary, undefined, (change) =>
      breakers.publish({ service, state: change }),
    );
  const sharedResilience = { users: open('users'), payments: open('payments') };
  const flush = () => {
    for (const each of Object.values(sharedResilience)) each.flush().catch(() => {});
  };
  setInterval(flush, FLUSH_EVERY_MS).unref();
  primary.tell('connected');
  return {
    sharedResilience,
    started: (screen, gateway) => {
      state = gateway;
      primary.tell('started', screen);
    },
    onStop: (listener) => {
      stop = listener;
    },
  };
}
