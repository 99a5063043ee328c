import type { StopReason } from './contract.ts';
import { type Exit, type SlotOptions, type WorkerProcess, WorkerSlot } from './worker-slot.ts';

/** What workers are kept running with. */
export interface SupervisorOptions extends Omit<SlotOptions, 'isStopping'> {
  readonly count: number;
}

/** Keeps a number of workers running. */
export interface Supervisor {
  /** Starts the first worker, then the others. Rejects with a {@link StartError} if one ends. */
  start(): Promise<void>;
  /**
   * Replaces one worker after the other: the new one accepts requests before the old one stops.
   * False if a new one did not start.
   */
  restart(): Promise<boolean>;
  /** Stops all workers, and waits for their end. */
  stop(reason: StopReason): Promise<void>;
  /** Ends all workers immediately. */
  kill(): void;
}

/** A worker ended before it accepted requests. It has written why. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor({ code }: Exit) {
    super('A worker could not start.');
    this.exitCode = code === null || code === 0 ? 1 : code;
  }
}

/** Creates a supervisor. Nothing is started yet. */
export function createSupervisor({ count, ...options }: SupervisorOptions): Supervisor {
  const running = new Set<WorkerProcess>();
  const slots: WorkerSlot[] = [];
  let isStopping = false;
  let restarting: Promise<boolean> | undefined;
  let isRestartWanted = false;

  function fork(number: number): WorkerProcess {
    const worker = options.fork(number);
    running.add(worker);
    void worker.ended.then(() => running.delete(worker));
    return worker;
  }

  async function restartAll(): Promise<boolean> {
    for (const slot of slots) {
      const isReplaced = await slot.replace();
      if (isStopping) return true;
      if (!isReplaced) {
        options.report(
          `The new worker ${slot.number} did not start. The earlier workers continue.`,
        );
        return false;
      }
    }
    options.report(`All ${count} workers were replaced.`);
    return true;
  }

  return {
    start: async () => {
      for (let number = 1; number <= count; number++) {
        slots.push(new WorkerSlot(number, { ...options, fork, isStopping: () => isStopping }));
        // The first one says what is wrong, and prepares the database for all.
        if (number === 1) await requireStarted(slots);
        if (isStopping) return;
      }
      await requireStarted(slots);
      for (const slot of slots) void slot.keep();
    },
    restart: () => {
      isRestartWanted = true;
      restarting ??= (async () => {
        let isDone = true;
        while (isRestartWanted && !isStopping) {
          isRestartWanted = false;
          isDone = await restartAll();
        }
        restarting = undefined;
        return isDone;
      })();
      return restarting;
    },
    stop: async (reason) => {
      isStopping = true;
      const ended = [...running].map((worker) => worker.ended);
      for (const worker of running) worker.stop(reason);
      await Promise.all(ended);
    },
    kill: () => {
      for (const worker of running) worker.kill();
    },
  };
}

async function requireStarted(slots: readonly WorkerSlot[]): Promise<void> {
  for (const slot of slots) {
    const exit = await slot.started();
    if (exit !== undefined) throw new StartError(exit);
  }
}
