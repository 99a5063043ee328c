import { RestError } from './rest-error.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** A timer of Node can end up to a millisecond early. */
const TIMER_ERROR_MS = 1;
/** Statuses after which the same read can succeed. A 500 would fail again. */
const REPEATED = new Set([502, 503, 504]);

/** How the reads of a service are repeated. */
export interface Repeats {
  /** How often one read is repeated at most. */
  readonly retries: number;
  /** One read with its repeats and the pauses between them, in milliseconds. */
  readonly totalMs: number;
  readonly retryBudget: RetryBudget;
}

/** A read that may be made several times. */
export interface RepeatedRead<T, R> {
  readonly attempt: (availableMs: number) => Promise<T>;
  /** What is made of the response of the last attempt. */
  readonly open: (response: T) => R;
  /** How long the read may take with its repeats. */
  readonly availableMs: number;
  /** Called before each repeat. */
  readonly onRepeat: () => void;
}

/**
 * Makes a read, and repeats it after failures that may be over soon: with random pauses, no
 * earlier than the service asks for, and only while the budget of the service allows it.
 */
export function repeatRead<T, R>(read: RepeatedRead<T, R>, resilience: Repeats): Promise<R> {
  const { totalMs, retryBudget } = resilience;
  const firstMs = Math.min(totalMs, read.availableMs);
  const end = performance.now() + firstMs;
  // Nearly all reads end here, so the loop is for the others.
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

/** Repeats a read whose first attempt has failed. */
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

/** Whether a read reached the service: only then it may be repeated at the service's expense. */
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

/** How many reads may be repeated, so that repeats never multiply the load of a sick service. */
export interface RetryBudgetSettings {
  /** Repeats that each first attempt allows. */
  readonly ratio: number;
  /** Repeats that every second allows. */
  readonly perSecond: number;
}

/** The repeats that all requests may still make at one service. */
export interface RetryBudget {
  /** Counts a first attempt. */
  earn(): void;
  /** Takes a repeat. False if none is left. */
  take(): boolean;
  /** How many repeats are left. */
  left(): number;
}

/** What is earned and not used is lost after this time. */
const EXPIRY_MS = 10_000;
const SLICE_MS = 1_000;

/** Creates a budget. `now` is in milliseconds. */
export function createRetryBudget(
  { ratio, perSecond }: RetryBudgetSettings,
  now: () => number,
): RetryBudget {
  /** What each second earned and has left, the oldest first. */
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
