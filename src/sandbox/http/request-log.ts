import type { RequestLogEntry } from './server.ts';

/** A request in the log of the last requests. */
export interface LoggedRequest extends RequestLogEntry {
  /** Counts all requests since the start. */
  readonly number: number;
}

/** The last requests of all services. */
export interface RequestLog {
  add(entry: RequestLogEntry): void;
  /** Returns the requests that follow this number, or without one the last ones, oldest first. */
  list(after: number | undefined, limit: number): LoggedRequest[];
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
    list: (after, limit) => {
      const kept = entries.slice(-KEPT);
      if (after === undefined) return kept.slice(-limit);
      return kept.filter(({ number }) => number > after).slice(0, limit);
    },
    clear: () => {
      entries = [];
    },
  };
}

/** Prints a request in one line. */
export function printRequest(entry: RequestLogEntry): void {
  const { service, method, path, status, durationMs, requestId, fault } = entry;
  const result = status === 0 ? 'no response' : status;
  const cause = fault === undefined ? '' : ` (fault ${fault})`;
  console.log(`${service} ${method} ${path} ${result} ${durationMs}ms ${requestId}${cause}`);
}
