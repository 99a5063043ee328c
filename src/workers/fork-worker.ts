import cluster from 'node:cluster';
import type { EnvironmentVariables } from '../settings/read-settings.ts';
import type { Started } from '../startup-output.ts';
import type { PrimaryOffer, WorkerOffer } from './contract.ts';
import { connectPeer, type Peer } from './peer.ts';
import type { Exit, WorkerProcess } from './worker-slot.ts';

/** A worker, and what the primary can ask it. */
export interface ForkedWorker extends WorkerProcess {
  readonly ready: Promise<Started>;
  readonly peer: Peer<WorkerOffer>;
}

/** Starts this program again as a worker. */
export function forkWorker(
  env: EnvironmentVariables,
  offer: Omit<PrimaryOffer, 'started'>,
  onBug: (error: unknown) => void,
): ForkedWorker {
  const worker = cluster.fork(env);
  let started: (screen: Started) => void = () => {};
  const ready = new Promise<Started>((resolve) => {
    started = resolve;
  });
  const peer = connectPeer<WorkerOffer>(
    {
      send: (message) => {
        // The channel closes before the process has ended. What is lost then has nobody to read it.
        if (worker.isConnected()) worker.send(message, undefined, () => {});
      },
      onMessage: (listener) => worker.on('message', listener),
      onEnd: (listener) => worker.once('exit', listener),
    },
    { ...offer, started: (screen: Started) => started(screen) },
    onBug,
  );
  const ended = new Promise<Exit>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    worker.on('error', (error) => {
      // A process that could not be started has no exit.
      if (worker.process.pid === undefined) resolve({ code: 1, signal: null });
      onBug(error);
    });
  });
  return {
    peer,
    ready,
    ended,
    stop: (reason) => peer.tell('stop', reason),
    kill: () => worker.process.kill('SIGKILL'),
  };
}
