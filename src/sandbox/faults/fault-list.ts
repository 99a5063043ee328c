import { randomUUID } from 'node:crypto';
import type { Fault, FaultInput } from './fault.ts';

/** The properties of a request that faults can match. */
export interface MatchedRequest {
  readonly service: string;
  readonly method: string;
  /** The path with its placeholders. */
  readonly route: string;
  /** Returns the id of the merchant whose records the request is for, if there is one. */
  readonly merchantId: () => Promise<string | undefined>;
}

/** The faults of a sandbox, in the order in which they were added. */
export interface FaultList {
  add(input: FaultInput): Fault;
  list(): Fault[];
  /** Returns false if there is no such fault. */
  remove(id: string): boolean;
  clear(): void;
  /** Returns the first fault that affects the request, and counts the request. */
  find(request: MatchedRequest): Promise<Fault | undefined>;
}

interface Entry {
  readonly id: string;
  readonly fault: FaultInput;
  readonly expires: number | null;
  matched: number;
  affected: number;
  /** The current period of a rate limit, and the requests in it. */
  periodStart: number;
  inPeriod: number;
}

/** Options of {@link createFaultList}. */
interface FaultListOptions {
  /** Called when faults were removed or have expired, but not when `next` has used one up. */
  readonly onRemoved?: (() => void) | undefined;
}

/** Creates an empty list of faults. */
export function createFaultList({ onRemoved = () => {} }: FaultListOptions = {}): FaultList {
  const now = Date.now;
  const entries = new Map<string, Entry>();

  function current(): Entry[] {
    const before = entries.size;
    for (const [id, { expires }] of entries) {
      if (expires !== null && expires <= now()) entries.delete(id);
    }
    if (entries.size < before) onRemoved();
    return [...entries.values()];
  }

  function remove(id: string): boolean {
    const isRemoved = entries.delete(id);
    if (isRemoved) onRemoved();
    return isRemoved;
  }

  function affects(entry: Entry): boolean {
    const { fault } = entry;
    entry.matched++;
    if (fault.every !== undefined && entry.matched % fault.every !== 0) return false;
    if (fault.kind === 'rateLimit' && !isOverLimit(entry, fault, now())) return false;
    entry.affected++;
    if (entry.affected === fault.next) entries.delete(entry.id);
    return true;
  }

  return {
    add: (fault) => {
      const expires = fault.expiresInMs === undefined ? null : now() + fault.expiresInMs;
      const counts = { matched: 0, affected: 0, periodStart: 0, inPeriod: 0 };
      const entry: Entry = { id: randomUUID(), fault, expires, ...counts };
      entries.set(entry.id, entry);
      if (fault.expiresInMs !== undefined) setTimeout(current, fault.expiresInMs + 1).unref();
      return show(entry);
    },
    list: () => current().map(show),
    remove,
    clear: () => {
      entries.clear();
      onRemoved();
    },
    find: async (request) => {
      for (const entry of current()) {
        // Another request may have used up the fault while the merchant was looked up.
        if ((await matches(entry.fault, request)) && entries.has(entry.id) && affects(entry)) {
          return show(entry);
        }
      }
      return undefined;
    },
  };
}

function isOverLimit(entry: Entry, limit: FaultInput & { kind: 'rateLimit' }, now: number) {
  if (now - entry.periodStart >= limit.periodMs) {
    entry.periodStart = now;
    entry.inPeriod = 0;
  }
  entry.inPeriod++;
  return entry.inPeriod > limit.requests;
}

async function matches(fault: FaultInput, request: MatchedRequest): Promise<boolean> {
  const { service, method, route, merchantId, kind } = fault;
  if (service !== undefined && service !== request.service) return false;
  if (method !== undefined && method !== request.method) return false;
  if (route !== undefined && route !== request.route) return false;
  if (kind === 'stale' && request.method !== 'GET') return false;
  return merchantId === undefined || merchantId === (await request.merchantId());
}

function show({ id, fault, matched, affected, expires }: Entry): Fault {
  const time = expires === null ? null : new Date(expires).toISOString();
  return { id, fault, matched, affected, expires: time };
}
