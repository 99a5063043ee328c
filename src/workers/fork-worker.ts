import cluster, { type Worker } from 'node:cluster';
import type { EnvironmentVariables } from '../settings/read-settings.ts';
import type { Started } from '../startup-output.ts';
import type { PrimaryOffer, WorkerOffer } from './contract.ts';
import { connectPeer, type Peer } from './peer.ts';
import type { Exit, WorkerProcess } from './worker-slot.ts';

/** A worker, and what the primary can ask it. */
export interface ForkedWorker extends WorkerProcess {
  /** Resolves when it receives messages. */
  readonly connected: Promise<void>;
  readonly ready: Promise<Started>;
  readonly peer: Peer<WorkerOffer>;
}

/** How a worker is started and watched. */
export interface ForkOptions {
  readonly variables: EnvironmentVariables;
  readonly offer: Omit<PrimaryOffer, 'started' | 'connected'>;
  /** How long it may take to stop. After this time it is killed. */
  readonly endWithinMs: number;
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
  readonly onBug: (error: unknown) => void;
}

const TICK_MS = 1_000;
/** A worker reports each second. One that has not for so many seconds is stuck. */
const STUCK_AFTER_TICKS = 30;

/** Starts this program again as a worker. */
export function forkWorker(options: ForkOptions): ForkedWorker {
  const { variables, offer, endWithinMs, report, onBug } = options;
  const worker = cluster.fork(variables);
  const ended = endOf(worker, report);
  const [connected, onConnected] = signal<void>();
  const [ready, onReady] = signal<Started>();
  const peer = connectPeer<WorkerOffer>(
    {
      send: (message) => {
        // The channel closes before the process has ended. What is lost then has nobody to read it.
        if (worker.isConnected()) worker.send(message, undefined, () => {});
      },
      onMessage: (listener) => worker.on('message', listener),
      onEnd: (listener) => void ended.then(listener),
    },
    { ...offer, started: onReady, connected: onConnected },
    onBug,
  );
  const kill = () => worker.process.kill('SIGKILL');
  const stopWatching = watch(worker, () => {
    report(`A worker has not responded for ${STUCK_AFTER_TICKS} seconds, so it is ended.`);
    kill();
  });
  void ended.then(stopWatching);
  return {
    peer,
    connected,
    ready,
    ended,
    kill,
    stop: (reason) => {
      void connected.then(() => peer.tell('stop', reason));
      const late = setTimeout(() => {
        report(`A worker has not stopped within ${endWithinMs} ms, so it is ended.`);
        kill();
      }, endWithinMs);
      void ended.then(() => clearTimeout(late));
    },
  };
}

/** Resolves when the process has ended, or could not be started. */
function endOf(worker: Worker, report: (message: string) => void): Promise<Exit> {
  return new Promise((resolve) => {
    worker.once('exit', (code: number | null, name: string | null) => {
      resolve({ code, signal: name });
    });
    worker.on('error', ({ message }) => {
      report(`A worker has failed: ${message}`);
      // A process that could not be started has no exit.
      if (worker.process.pid === undefined) resolve({ code: 1, signal: null });
    });
  });
}

/** Calls a function if a worker that has sent a message sends no other one. Returns what ends it. */
function watch(worker: Worker, onStuck: () => void): () => void {
  // Time in which this process itself stood still does not count.
  let ticks = Number.NEGATIVE_INFINITY;
  worker.on('message', () => {
    ticks = 0;
  });
  const timer = setInterval(() => {
    ticks++;
    if (ticks === STUCK_AFTER_TICKS) onStuck();
  }, TICK_MS).unref();
  return () => clearInterval(timer);
}

/** A promise, and what resolves it. */
function signal<Value>(): [Promise<Value>, (value: Value) => void] {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return [promise, resolve];
}
