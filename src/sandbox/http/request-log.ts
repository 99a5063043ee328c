import type { RequestLogEntry } from './server.ts';

/** A request in the log of the last requests. */
export interface LoggedRequest extends RequestLogEntry {
  /** Counts all requests since the start. */
  readonly number: number;
}

/** The last requests of all services. */
export interface RequestLog {
  add(entry: RequestLogEntry): void;
  /** Returns the requests after this number, oldest first; the latest ones if there are more. */
  list(after: number, limit: number): LoggedRequest[];
  clear(): void;
}

const KEPT = 1_000;

/** Creates a log that keeps the last 1,000 requests in memory. */
export function createRequestLog(): RequestLog {
  let entries: LoggedRequest[] = [];
  let count = 0;
  return {
    add: (entry) => {
      count++;
      entries.push({ number: count, ...entry });
      if (entries.length > 2 * KEPT) entries = entries.slice(-KEPT);
    },
    list: (after, limit) =>
      entries
        .slice(-KEPT)
        .filter(({ number }) => number > after)
        .slice(-limit),
    clear: () => {
      entries = [];
    },
  };
}
