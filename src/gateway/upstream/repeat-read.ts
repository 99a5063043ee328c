import { RestError } from './rest-error.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** Node's timers can fire up to a millisecond early. */
const TIMER_ERROR_MS = 1;
/** Statuses after which the same read can succeed. A 500 would fail again. */
const REPEATED = new Set([502, 503, 504]);

/** How the reads of a service are retried. */
export interface Repeats {
  /** Maximum retries of one read. */
  readonly retries: number;
  /** Time limit of one read, including retries and pauses, in milliseconds. */
  readonly totalMs: number;
  readonly retryBudget: RetryBudget;
}

/** A read that may be made several times. */
export interface RepeatedRead<T, R> {
  readonly attempt: (availableMs: number) => Promise<T>;
  /** Converts the response of the last attempt. */
  readonly open: (response: T) => R;
  /** How long the read may take, including retries. */
  readonly availableMs: number;
  /** Called before each retry. */
  readonly onRepeat: () => void;
}

/**
 * Makes a read, and retries it after temporary failures: with random pauses, no earlier than the
 * service asks for, and only while the service's retry budget allows it.
 */
export function repeatRead<T, R>(read: RepeatedRead<T, R>, resilience: Repeats): Promise<R> {
  const { totalMs, retryBudget } = resilience;
  const firstMs = Math.min(totalMs, read.availableMs);
  const end = performance.now() + firstMs;
  // Nearly all reads end here, without the loop.
  return read.attempt(firstMs).then(
    (response) => {
      retryBudget.earn();
      return read.open(response);
    },
    (error) => {
      if (wasSent(error)) retryBudget.earn();
      return repeatAfter(error, read, resilience, end);
    },
  );
}

/** Retries a read after its first attempt failed. */
async function repeatAfter<T, R>(
  first: unknown,
  { attempt, open, onRepeat }: RepeatedRead<T, R>,
  { retries, retryBudget }: Repeats,
  end: number,
): Promise<R> {
  let error = first;
  for (let count = 0; count < retries; count++) {
    const pause = pauseAfter(error, count);
    if (pause === undefined || performance.now() + pause >= end) break;
    if (!retryBudget.take()) break;
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
    onRepeat();
    let response: T;
    try {
      response = await attempt(end - performance.now());
    } catch (next) {
      error = next;
      continue;
    }
    return open(response);
  }
  throw error;
}

/** Whether a read was sent: only then does it add to the service's retry budget. */
function wasSent(error: unknown): boolean {
  return error instanceof RestError && error.outcome !== 'NOT_SENT';
}

/** Milliseconds before the next attempt; undefined if there must be none. */
function pauseAfter(error: unknown, count: number): number | undefined {
  if (!(error instanceof RestError)) return undefined;
  const { failure, status = 0, retryAfterMs } = error;
  const pause = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count);
  if (failure === 'unreachable' || failure === 'timeout') return pause;
  const isAsked = status === 429 && retryAfterMs !== undefined;
  if (failure !== 'status' || !(REPEATED.has(status) || isAsked)) return undefined;
  return retryAfterMs === undefined ? pause : Math.max(pause, retryAfterMs + TIMER_ERROR_MS);
}

/** Limits retries, so that they never multiply the load on a failing service. */
export interface RetryBudgetSettings {
  /** Retries earned by each first attempt. */
  readonly ratio: number;
  /** Retries earned per second. */
  readonly perSecond: number;
}

/** The retries that all requests may still make to one service. */
export interface RetryBudget {
  /** Counts a first attempt. */
  earn(): void;
  /** Takes a retry. False if none is left. */
  take(): boolean;
  /** Number of retries left. */
  left(): number;
}

/** Earned retries expire after this time. */
const EXPIRY_MS = 10_000;
const SLICE_MS = 1_000;

/** Creates a budget. `now` is in milliseconds. */
export function createRetryBudget(
  { ratio, perSecond }: RetryBudgetSettings,
  now: () => number,
): RetryBudget {
  /** What is left of each second's retries, oldest first. */
  let slices: { readonly index: number; left: number }[] = [];

  function slice() {
    const index = Math.floor(now() / SLICE_MS);
    const last = slices.at(-1);
    if (last?.index === index) return last;
    slices = slices.filter((each) => (index - each.index) * SLICE_MS < EXPIRY_MS);
    const next = { index, left: perSecond };
    slices.push(next);
    return next;
  }

  const sum = () => slices.reduce((all, { left }) => all + left, 0);

  return {
    left: () => {
      slice();
      return sum();
    },
    earn: () => {
      slice().left += ratio;
    },
    take: () => {
      slice();
      let missing = 1;
      if (sum() < missing) return false;
      for (const each of slices) {
        const taken = Math.min(each.left, missing);
        each.left -= taken;
        missing -= taken;
      }
      return true;
    },
  };
}
