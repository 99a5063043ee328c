import type { Resilience } from './resilience.ts';
import { RestError } from './rest-error.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** A timer of Node can end up to a millisecond early. */
const TIMER_ERROR_MS = 1;
/** Statuses after which the same read can succeed. A 500 would fail again. */
const REPEATED = new Set([502, 503, 504]);

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
export function repeatRead<T, R>(read: RepeatedRead<T, R>, resilience: Resilience): Promise<R> {
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
  { retries, retryBudget }: Resilience,
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
