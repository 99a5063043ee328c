import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { DRAIN_DELAY_MS, type GatewaySettings } from '../gateway/settings/settings.ts';
import { createLog } from '../gateway/telemetry/log.ts';
import { readEnvFile } from '../settings/env-file.ts';
import type { StartedGateway } from './start-gateway.ts';
import { printStart, type Started } from './startup-output.ts';
import { onStop } from './stop-signals.ts';

const START_WITHIN_MS = 60_000;
/** How long a worker may take to close after its requests and writes have ended. */
const CLOSE_WITHIN_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000;
/** If a worker ran this long, its end counts as a new failure, not a repeated one. */
const STABLE_MS = 60_000;

/** Starts workers that listen on one port. `own` is the environment without the file `.env`. */
export async function startWorkers(own: NodeJS.ProcessEnv, settings: GatewaySettings) {
  const workers = new Workers(own, settings);
  let restarts: Promise<void> | undefined;
  process.on('SIGHUP', () => {
    restarts = restarts?.then(workers.restart);
  });
  onStop(own, workers.stop, workers.kill);
  // The first worker reports problems, and prepares the database for all.
  const first = await workers.startOrExit(0);
  const numbers = Array.from({ length: settings.workers - 1 }, (_, index) => index + 1);
  const others = await Promise.all(numbers.map((number) => workers.startOrExit(number)));
  restarts = Promise.resolve();
  printStart(first, ...others);
}

class Workers {
  /** All running workers, with promises that resolve when they end. */
  readonly #live = new Map<Worker, Promise<void>>();
  /** The workers that accept requests, by number. */
  readonly #current: (Worker | undefined)[] = [];
  readonly #own: NodeJS.ProcessEnv;
  readonly #settings: GatewaySettings;
  readonly #warn: (message: string) => void;
  #file = readEnvFile();
  #isStopping = false;

  constructor(own: NodeJS.ProcessEnv, settings: GatewaySettings) {
    this.#own = own;
    this.#settings = settings;
    this.#warn = createLog(settings.log.level ?? 'info').warn;
  }

  async startOrExit(number: number): Promise<Started> {
    const started = this.#isStopping ? 0 : await this.#start(number);
    // The program ends when all workers have ended.
    if (this.#isStopping) return new Promise(() => {});
    if (typeof started === 'object') return started;
    this.kill();
    // The worker has reported why.
    process.exit(started);
  }

  /** Replaces one worker after the other: the new one is ready before the old one stops. */
  readonly restart = async (): Promise<void> => {
    const earlier = this.#file;
    try {
      this.#file = readEnvFile();
    } catch (error) {
      return this.#warn(`${error instanceof Error && error.message} The workers are not replaced.`);
    }
    for (let number = 0; number < this.#settings.workers; number++) {
      const old = this.#current[number];
      const started = await this.#start(number);
      if (this.#isStopping) return;
      if (typeof started === 'number') {
        this.#file = earlier;
        return this.#warn(`The new worker ${number} did not start. The earlier workers continue.`);
      }
      await (old && this.#live.get(old));
    }
    this.#warn(`All ${this.#settings.workers} workers were replaced.`);
  };

  readonly stop = async (reason: string): Promise<void> => {
    this.#isStopping = true;
    await Promise.all([...this.#live.keys()].map((worker) => this.#stop(worker, reason)));
    process.exit(0);
  };

  readonly kill = (): void => {
    for (const worker of this.#live.keys()) worker.process.kill('SIGKILL');
  };

  /** Starts a worker. Resolves when it accepts requests, or with its exit code if it ends. */
  #start(number: number, failures = 0): Promise<Started | number> {
    const { workers, operations } = this.#settings;
    const port = operations.port && { OPERATIONS_PORT: String(operations.port + number) };
    const fixed = { ...port, WORKERS: String(workers), TILLGRAPH_WORKER: String(number) };
    const worker = cluster.fork({ ...this.#file, ...this.#own, ...fixed });
    const ended = Promise.withResolvers<void>();
    this.#live.set(worker, ended.promise);
    const begun = performance.now();
    const late = setTimeout(() => worker.process.kill('SIGKILL'), START_WITHIN_MS);
    return new Promise((resolve) => {
      worker.once('message', (started: Started) => {
        clearTimeout(late);
        const old = this.#current[number];
        this.#current[number] = worker;
        if (old !== undefined) void this.#stop(old, 'REPLACED');
        if (this.#isStopping) void this.#stop(worker, 'SIGINT');
        resolve(started);
      });
      worker.on('error', ({ message }) => {
        this.#warn(`Worker ${number} failed: ${message}`);
        // A process that could not be created never emits `exit`.
        if (worker.process.pid === undefined) worker.emit('exit', 1, null);
      });
      worker.once('exit', (code: number | null, signal: string | null) => {
        clearTimeout(late);
        this.#live.delete(worker);
        ended.resolve();
        resolve(code || 1);
        if (this.#isStopping || this.#current[number] !== worker) return;
        this.#current[number] = undefined;
        const how = signal ?? `exit code ${code}`;
        this.#warn(`Worker ${number} ended (${how}). A new worker replaces it.`);
        void this.#startAgain(number, performance.now() - begun > STABLE_MS ? 0 : failures);
      });
    });
  }

  async #startAgain(number: number, before: number): Promise<void> {
    for (let failures = before; ; failures++) {
      await sleep(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** failures));
      if (this.#isStopping || this.#current[number] !== undefined) return;
      const started = await this.#start(number, failures + 1);
      if (typeof started === 'object' || this.#isStopping) return;
      this.#warn(`Worker ${number} did not start. It will be started again after a pause.`);
    }
  }

  /** A message to a worker that is starting may be lost: it is stopped again when it is ready. */
  async #stop(worker: Worker, reason: string): Promise<void> {
    const { drain, limits } = this.#settings;
    const delayMs = drain.delayMs ?? DRAIN_DELAY_MS;
    const endMs = delayMs + drain.maxMs + limits.writeMs + CLOSE_WITHIN_MS;
    worker.send(reason, () => {});
    const late = setTimeout(() => {
      this.#warn(`A worker has not stopped within ${endMs} ms, so it is ended.`);
      worker.process.kill('SIGKILL');
    }, endMs);
    await this.#live.get(worker);
    clearTimeout(late);
  }
}

/** Runs this process as a worker, which stops when the primary says so or ends. */
export async function runWorker(open: () => Promise<StartedGateway>): Promise<void> {
  const { worker } = cluster;
  let gateway: StartedGateway | undefined;
  let isStopping = false;
  const stop = (reason: string) => {
    if (gateway === undefined) process.exit(0);
    if (isStopping) return;
    isStopping = true;
    const isReplaced = reason === 'REPLACED';
    const waits = isReplaced || reason === 'SIGTERM';
    void gateway.close(waits, isReplaced).then(() => process.exit(0));
  };
  process.on('message', stop);
  process.on('SIGTERM', stop);
  // A terminal sends these to the primary too, which decides.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  worker?.once('disconnect', () => {
    // Otherwise Node ends the process, including running requests.
    worker.exitedAfterDisconnect = true;
    stop('SIGINT');
  });
  gateway = await open();
  worker?.send(gateway.started, () => {});
}

/** The settings of one worker: limits of the whole gateway are divided among the workers. */
export function divideLimits(settings: GatewaySettings): GatewaySettings {
  const { workers, load, rate, connections, exports, upstream } = settings;
  const part = (limit: number, least = 0) => limit && Math.max(least, Math.ceil(limit / workers));
  const { reads, writes, queue } = upstream.connections;
  // An owner needs a place even while another one has a place.
  const places = { reads: part(reads, 2), writes: part(writes, 2), queue: part(queue) };
  // Any worker may get the largest request.
  const maxHeldBytes = part(upstream.maxHeldBytes, upstream.allowance.maxBytes);
  return {
    ...settings,
    load: { ...load, inFlight: part(load.inFlight) },
    rate: { ...rate, keylessPerMinute: part(rate.keylessPerMinute) },
    connections: { ...connections, maxUnreadBytes: part(connections.maxUnreadBytes) },
    exports: { ...exports, inFlight: part(exports.inFlight) },
    upstream: { ...upstream, maxHeldBytes, connections: { ...upstream.connections, ...places } },
  };
}
