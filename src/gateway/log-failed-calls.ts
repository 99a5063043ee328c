import type { Log } from './log.ts';
import type { FailedCall } from './rest/reason.ts';
import type { ShapeError } from './rest/rest-error.ts';

/** Logs calls that have failed, without a flood of lines while a service does not work. */
export interface FailedCalls {
  note(failed: FailedCall): void;
  /** Notes a field that cannot be read. */
  noteField(error: ShapeError): void;
  /** Logs what is left. */
  stop(): void;
}

/** For each service, status and cause, there is one line in this time. */
const EVERY_MS = 10_000;

/** What has happened since the last line. */
interface Since {
  count: number;
  last: FailedCall;
  readonly timer: NodeJS.Timeout;
}

/** Logs the first call that fails for some reason at once, and the others together later. */
export function logFailedCalls(log: Pick<Log, 'failedCall'>, everyMs = EVERY_MS): FailedCalls {
  const since = new Map<string, Since>();

  function write({ service, method, route, status, cause }: FailedCall, count: number): void {
    log.failedCall({ service, method, route, status, cause, count });
  }

  function endTime(key: string, ended: Since): void {
    if (ended.count === 0) {
      clearInterval(ended.timer);
      since.delete(key);
      return;
    }
    write(ended.last, ended.count);
    ended.count = 0;
  }

  function note(failed: FailedCall): void {
    const key = `${failed.service} ${failed.status} ${failed.kind}`;
    const known = since.get(key);
    if (known !== undefined) {
      known.count++;
      known.last = failed;
      return;
    }
    write(failed, 1);
    const begun: Since = {
      count: 0,
      last: failed,
      timer: setInterval(() => endTime(key, begun), everyMs).unref(),
    };
    since.set(key, begun);
  }

  return {
    note,
    noteField: ({ message, service = '-' as const }) =>
      note({
        ...{ service, method: 'GET', route: '-', status: 0 },
        ...{ kind: message, cause: `the field ${message}` },
      }),
    stop: () => {
      for (const [key, left] of since) {
        endTime(key, left);
        clearInterval(left.timer);
      }
      since.clear();
    },
  };
}
