import { within } from '../within.ts';
import type { StopReason } from './contract.ts';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process that answers requests, or is about to. */
export interface WorkerProcess {
  /** Resolves when it accepts requests. */
  readonly ready: Promise<unknown>;
  /** Resolves when it has ended. */
  readonly ended: Promise<Exit>;
  stop(reason: StopReason): void;
  kill(): void;
}

/** What a place is filled with. */
export interface SlotOptions {
  /** Starts the worker with this number. */
  fork(number: number): WorkerProcess;
  /** Called with messages for the operator. */
  report(message: string): void;
  /** Called when a worker has ended that nobody stopped, or has not started. */
  onExit(): void;
  /** Waits before a worker is started again. */
  wait(ms: number): Promise<unknown>;
  /** Whether all workers are being stopped. */
  isStopping(): boolean;
}

const START_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that has run for so long is not ended by what ended those before it. */
const STABLE_MS = 60_000;

/** The place of one worker, in which one follows another. */
export class WorkerSlot {
  readonly number: number;
  readonly #options: SlotOptions;
  #current: WorkerProcess;
  /** The one that takes its place, until it is ready or has ended. */
  #next: Promise<WorkerProcess | undefined> | undefined;
  /** The same, after the current one has ended by itself. */
  #again: Promise<WorkerProcess | undefined> | undefined;

  /** @param number from 1 */
  constructor(number: number, options: SlotOptions) {
    this.number = number;
    this.#options = options;
    this.#current = options.fork(number);
  }

  /** Waits for the first worker. Returns how it ended if it does not accept requests. */
  async started(): Promise<Exit | undefined> {
    return (await becomesReady(this.#current)) ? undefined : this.#current.ended;
  }

  /** Starts another worker whenever one ends by itself, until all are stopped. */
  async keep(): Promise<void> {
    const { report, onExit, isStopping } = this.#options;
    let failures = 0;
    while (!isStopping()) {
      const worker = this.#current;
      const begun = performance.now();
      const exit = await worker.ended;
      if (isStopping()) return;
      if (this.#current !== worker) continue;
      onExit();
      failures = performance.now() - begun > STABLE_MS ? 1 : failures + 1;
      report(`Worker ${this.number} ended (${describe(exit)}). Another one takes its place.`);
      if ((await this.#next) !== undefined) continue;
      this.#again = this.#startAgain(failures);
      this.#current = (await this.#again) ?? this.#current;
      this.#again = undefined;
    }
  }

  /** Starts a worker, as often as it takes. Undefined if all are being stopped. */
  async #startAgain(before: number): Promise<WorkerProcess | undefined> {
    const { report, isStopping, wait, fork, onExit } = this.#options;
    for (let failures = before; !isStopping(); failures++) {
      await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)));
      if (isStopping()) return undefined;
      const worker = fork(this.number);
      if (await becomesReady(worker)) return worker;
      onExit();
      report(`Worker ${this.number} did not start. It is started again after a pause.`);
    }
    return undefined;
  }

  /** Replaces the worker. False, with the earlier one still running, if the new one ends. */
  async replace(): Promise<boolean> {
    await this.#again;
    if (this.#options.isStopping()) return false;
    const started = this.#options.fork(this.number);
    this.#next = becomesReady(started).then((isReady) => (isReady ? started : undefined));
    const next = await this.#next;
    if (next !== undefined) {
      const old = this.#current;
      this.#current = next;
      old.stop('REPLACED');
      await old.ended;
    }
    this.#next = undefined;
    return next !== undefined;
  }
}

/** Whether a worker accepts requests in time. One that does not is ended. */
async function becomesReady(worker: WorkerProcess): Promise<boolean> {
  const known = Promise.race([worker.ready.then(() => true), worker.ended.then(() => false)]);
  const isReady = await within(known, START_WITHIN_MS, () => false);
  if (!isReady) worker.kill();
  return isReady;
}

function describe({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : signal;
}
