import type { FailedCall } from '../upstream/reason.ts';
import type { ShapeError } from '../upstream/rest-error.ts';
import type { Log } from './log.ts';

/** Logs failures, with few lines even while everything fails. */
export interface Failures<T> {
  note(failed: T): void;
  /** Logs the failures that are not logged yet, and stops. */
  stop(): void;
}

/** Each cause gets at most one line in this time. */
const EVERY_MS = 10_000;

/** Failed calls to services. */
export interface FailedCalls extends Failures<FailedCall> {
  /** Notes a field that cannot be read. */
  noteField(error: ShapeError): void;
}

/** Logs failed calls to services, grouped by service, status and kind of cause. */
export function logFailedCalls(log: Pick<Log, 'failedCall'>): FailedCalls {
  const { note, stop } = logFailures<FailedCall>(
    ({ service, status, kind }) => `${service} ${status} ${kind}`,
    ({ service, method, route, status, cause }, count) =>
      log.failedCall({ service, method, route, status, cause, count }),
  );
  return {
    note,
    noteField: ({ message, service = '-' as const }) =>
      note({
        ...{ service, method: 'GET', route: '-', status: 0 },
        ...{ kind: message, cause: `the field ${message}` },
      }),
    stop,
  };
}

/** Logs why tokens are not accepted. */
export function logRejectedTokens(log: Pick<Log, 'rejectedToken'>): Failures<string> {
  return logFailures(
    (cause) => cause,
    (cause, count) => log.rejectedToken({ cause, count }),
  );
}

/** The failures since the last line. */
interface Since<T> {
  count: number;
  last: T;
  readonly timer: NodeJS.Timeout;
}

/** Logs the first failure with a key immediately, and later ones together in one line. */
function logFailures<T>(
  keyOf: (failed: T) => string,
  write: (failed: T, count: number) => void,
): Failures<T> {
  const since = new Map<string, Since<T>>();

  function endTime(key: string, ended: Since<T>): void {
    if (ended.count === 0) {
      clearInterval(ended.timer);
      since.delete(key);
      return;
    }
    write(ended.last, ended.count);
    ended.count = 0;
  }

  return {
    note: (failed) => {
      const key = keyOf(failed);
      const known = since.get(key);
      if (known !== undefined) {
        known.count++;
        known.last = failed;
        return;
      }
      write(failed, 1);
      const begun: Since<T> = {
        count: 0,
        last: failed,
        timer: setInterval(() => endTime(key, begun), EVERY_MS).unref(),
      };
      since.set(key, begun);
    },
    stop: () => {
      for (const [key, left] of since) {
        endTime(key, left);
        clearInterval(left.timer);
      }
      since.clear();
    },
  };
}
