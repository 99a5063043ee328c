import type { RequestLogEntry } from './server.ts';

/** Prints a request in one line. */
export function printRequest(entry: RequestLogEntry): void {
  const { service, method, path, status, durationMs, requestId, fault } = entry;
  const result = status === 0 ? 'no response' : status;
  const cause = fault === undefined ? '' : ` (fault ${fault})`;
  console.log(`${service} ${method} ${path} ${result} ${durationMs}ms ${requestId}${cause}`);
}
