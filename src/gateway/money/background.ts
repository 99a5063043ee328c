import { type StartLimit, within } from '../../within.ts';
import type { Clock } from './engine/clock.ts';

/** Work on operations in this process, which continues when its caller stops waiting. */
export interface Background {
  /** Waits for the work until the deadline, then returns `late`; the work continues. */
  continueInBackground<T>(
    operationId: string,
    work: Promise<T>,
    deadline: number,
    late: T,
  ): Promise<T>;
  /** Adds work that no caller waits for. Its errors are ignored. */
  add(operationId: string, work: Promise<unknown>): void;
  /** Waits until this process has finished its work on the operation, or for one poll interval. */
  wait(operationId: string, until: number): Promise<void>;
  /** Whether the process is waiting for its work to end. Nothing is tried again then. */
  readonly isClosing: boolean;
  /** Waits for all work. */
  close(): Promise<void>;
}

const POLL_MS = 100;

/** Keeps track of the work on operations in this process. */
export function createBackground(clock: Clock): Background {
  const running = new Map<string, Promise<unknown>>();
  let isClosing = false;

  const until =
    (time: number): StartLimit =>
    (onPassed) =>
      clock.startLimit(time - clock.now(), onPassed);

  function add(id: string, work: Promise<unknown>): void {
    const all = Promise.allSettled([running.get(id), work]).then(() => {
      if (running.get(id) === all) running.delete(id);
    });
    running.set(id, all);
  }
  return {
    add,
    continueInBackground: (id, work, deadline, late) => {
      add(id, work);
      return within(work, until(deadline), () => late);
    },
    wait: async (id, end) => {
      const here = running.get(id);
      await (here === undefined
        ? clock.sleep(Math.min(POLL_MS, Math.max(0, end - clock.now())))
        : within(here, until(end), () => {}));
    },
    get isClosing() {
      return isClosing;
    },
    close: async () => {
      isClosing = true;
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
