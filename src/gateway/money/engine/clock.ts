/** A source of time, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds. Only differences are meaningful, because the machine's clock may be set. */
  now(): number;
  /** Pauses between two attempts. */
  sleep(ms: number): Promise<void>;
  /**
   * Starts a time limit. Returns a function that cancels it. Tests make limits longer, but not
   * pauses.
   */
  startLimit(ms: number, onPassed: () => void): () => void;
}

const TICK_MS = 50;
/** The most time that one turn of the event loop counts. */
const MAX_TURN_MS = 2 * TICK_MS;

/** Creates the machine's clock. Neither a pause nor a time limit keeps the process running. */
export function createMachineClock(): Clock {
  const loop = createLoopTime();
  return {
    // Does not change when the machine's clock is set, because deadlines are measured by it.
    now: () => performance.timeOrigin + performance.now(),
    sleep: elapse,
    startLimit: (ms, onPassed) => {
      const stop = loop.start();
      const due = loop.now() + ms;
      let timer: NodeJS.Timeout | undefined;
      let read: NodeJS.Immediate | undefined;
      function end(): void {
        clearTimeout(timer);
        clearImmediate(read);
        stop();
      }
      function wait(): void {
        const left = due - loop.now();
        if (left > 0) {
          timer = setTimeout(wait, left).unref();
          return;
        }
        // Lets the event loop read what has arrived: timers run before sockets are read.
        read = setImmediate(() => {
          end();
          onPassed();
        }).unref();
      }
      wait();
      return end;
    },
  };
}

function elapse(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/**
 * Time in which the event loop worked. While it is blocked or overloaded, responses that have
 * arrived are not read, so a long turn counts as a short one. Time limits that are
 * measured in this time end because a response is late, not because this process is.
 */
function createLoopTime() {
  let time = 0;
  let turnedAt = 0;
  let users = 0;
  let ticking: NodeJS.Timeout | undefined;

  function turn(): void {
    const now = performance.now();
    time += Math.min(now - turnedAt, MAX_TURN_MS);
    turnedAt = now;
  }
  return {
    now: () => time + Math.min(performance.now() - turnedAt, MAX_TURN_MS),
    /** Measures until the returned function is called. Later calls of it have no effect. */
    start: () => {
      if (users++ === 0) {
        turnedAt = performance.now();
        ticking = setInterval(turn, TICK_MS).unref();
      }
      let isUsed = true;
      return () => {
        if (isUsed && --users === 0) clearInterval(ticking);
        isUsed = false;
      };
    },
  };
}
