import { joins, retries } from '../channels.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { RestResponse } from './exchange.ts';
import { repeatRead } from './repeat-read.ts';
import { RestError } from './rest-error.ts';
import type { Service } from './service.ts';

/** The reads of one request from one service. */
export interface Reads {
  /** Reads a path with its query. Does not repeat a read that the request has already made. */
  get(path: string): Promise<unknown>;
}

/**
 * Creates the reads of one request.
 *
 * @param attempt makes one call
 * @param unusable creates the error for an empty response
 */
export function createReads(
  shared: Service,
  { owner, allowance, known }: Caller,
  attempt: (call: Call) => Promise<RestResponse>,
  unusable: (method: 'GET', path: string, cause: string) => RestError,
): Reads {
  const { service, limits, resilience, flights, readsFresh, freezesReads } = shared;

  function read(path: string, now = performance.now()): Promise<unknown> {
    const timeoutMs = limits.getMs;
    const once = (availableMs: number) => attempt({ method: 'GET', path, timeoutMs, availableMs });
    const availableMs = allowance.remainingMs(now);
    const open = ({ body }: RestResponse) => {
      if (body === undefined) throw unusable('GET', path, 'the response is empty');
      return freezesReads ? deepFreeze(body) : body;
    };
    if (resilience === undefined) return once(availableMs).then(open);
    return repeatRead({ attempt: once, open, availableMs, onRepeat }, resilience);
  }

  function onRepeat(): void {
    allowance.usage.retries++;
    if (retries.hasSubscribers) retries.publish({ service });
  }

  /** Joins the same read by another request of this caller, or makes it for others to join. */
  function readTogether(path: string): Promise<unknown> {
    const now = performance.now();
    const remainingMs = allowance.remainingMs(now);
    // A read with less time than usual could also fail for others.
    if (flights === undefined || remainingMs < limits.getMs) return read(path, now);
    const flight = flights.find(owner, path, now + remainingMs);
    if (flight !== undefined) {
      if (joins.hasSubscribers) joins.publish({ level: 'upstream' });
      return flight.catch((error) => readAfter(error, path));
    }
    const until = now + Math.min(remainingMs, resilience?.totalMs ?? limits.getMs);
    return flights.begin(owner, path, until, read(path, now));
  }

  /** Reads again if a read failed only because of the request that made it. */
  async function readAfter(error: unknown, path: string): Promise<unknown> {
    if (error instanceof RestError && OF_ONE_REQUEST.has(error.failure)) return read(path);
    throw error;
  }

  return {
    get: (path) => {
      if (readsFresh || known === undefined) return read(path);
      const before = known.of[service];
      let found = before.get(path);
      if (found === undefined) {
        found = readTogether(path);
        before.set(path, found);
      }
      return found;
    },
  };
}

/** Failures because a request used up its share. Another request may have more left. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set(['limit', 'deadline']);

/** Deeply freezes and returns a value parsed from JSON. */
function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
