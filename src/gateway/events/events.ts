import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { createFeed, FeedEvent, FeedQuery } from './feed.ts';
import { createHub, unknownPlace, type Watch } from './hub.ts';
import type { Position } from './position.ts';

declare module '../schema/context.ts' {
  interface Context {
    /** What happened at merchants. */
    readonly events: Events;
  }
}

/** What happened at merchants, as the replica has found it. Rejects with errors for clients. */
export interface Events {
  /** Events of one merchant. */
  read(query: FeedQuery): Promise<readonly FeedEvent[]>;
  /** The next events of one merchant, for everybody who has read the same ones. */
  readNext(merchant: string, after: number): Promise<readonly FeedEvent[]>;
  /**
   * Where to go on in the feeds of merchants: behind a position, or at their ends. Rejects if events
   * in between are not kept any more.
   */
  begin(merchantIds: readonly string[], after: Position | undefined): Promise<Position>;
  /** Counts a subscription of an owner until it leaves. Throws if there are too many. */
  enter(owner: string): () => void;
  /** Shares the result of a check with others who make it in the next half minute. */
  shareCheck<T>(key: string, check: () => Promise<T>): Promise<T>;
  /**
   * Notices new events of merchants.
   *
   * @param closed aborted when the client leaves
   */
  watch(merchantIds: readonly string[], closed: AbortSignal | undefined): Watch;
  /** Number of subscriptions. */
  count(): number;
  /** Ends all subscriptions, because the process stops. */
  stop(): void;
}

/** Without a replica, nobody sees what happens. */
export const noEvents: Events = {
  read: () => Promise.reject(noFeed()),
  readNext: () => Promise.reject(noFeed()),
  begin: () => Promise.reject(noFeed()),
  enter: () => {
    throw noFeed();
  },
  shareCheck: (_key, check) => check(),
  watch: () => {
    throw noFeed();
  },
  count: () => 0,
  stop: () => {},
};

/** Events that one statement reads for subscriptions, and how long others get the same ones. */
const BATCH = 100;
const SHARED = { max: 1_000, ttl: 5_000 };
/** How often sync is told that the events of a merchant are read. */
const WANTED = { max: 100_000, ttl: 20_000 };
const CHECKS = { max: 10_000, ttl: 30_000 };
/** A transaction that began before can still add events with an earlier time. */
const OVERLAP_MS = 10_000;

/** The feeds, and how sync is told to keep them up to date. */
interface Feed extends ReturnType<typeof createFeed> {
  want(merchants: readonly string[]): Promise<unknown>;
}

/**
 * Opens the feeds of merchants.
 *
 * @param maxSubscriptions of all callers together; one of them can have half
 * @param waitForNew waits until merchants are known that were just created
 */
export function openEvents(
  feed: Feed,
  maxSubscriptions: number,
  waitForNew: (merchantIds: readonly string[]) => Promise<void>,
): Events {
  const wanted = new LRUCache<string, true>(WANTED);
  async function want(merchants: readonly string[]): Promise<void> {
    const unwanted = merchants.filter((id) => !wanted.has(id));
    if (unwanted.length > 0) await feed.want(unwanted).catch(fail);
    for (const id of unwanted) wanted.set(id, true);
  }
  const hub = createHub(async (merchants) => {
    await want(merchants);
    return feed.feedEnds(merchants).catch(fail);
  });
  const checks = new LRUCache<string, Promise<unknown>>(CHECKS);
  const next = new LRUCache<string, Promise<readonly FeedEvent[]>>(SHARED);

  async function endsOf(merchantIds: readonly string[]) {
    const isComplete = ({ length }: readonly unknown[]) => length === new Set(merchantIds).size;
    const known = await feed.feedEnds(merchantIds).catch(fail);
    if (isComplete(known)) return known;
    await waitForNew(merchantIds).catch(fail);
    const ends = await feed.feedEnds(merchantIds).catch(fail);
    if (isComplete(ends)) return ends;
    throw noFeed();
  }

  return {
    read: async (query) => {
      await endsOf([query.merchant]);
      await want([query.merchant]);
      return feed.readEvents(query).catch(fail);
    },
    readNext: (merchant, after) => {
      // A read that began before the news was noticed may not show it.
      const key = `${merchant}-${after}-${hub.newestOf(merchant)}`;
      const known = next.get(key);
      if (known !== undefined) return known;
      const read = feed.readEvents({ merchant, after, limit: BATCH }).catch(fail);
      next.set(key, read);
      const forget = () => next.delete(key);
      // Only what is there does not change.
      read.then((events) => events.length === 0 && forget(), forget);
      return read;
    },
    begin: async (merchantIds, after) => {
      const time = new Date();
      const ends = await endsOf(merchantIds);
      const places = ends.map(async ({ merchant, newest, oldest, since }) => {
        if (after === undefined) return [merchant, newest] as const;
        const before = new Date(after.time.getTime() - OVERLAP_MS);
        const place =
          after.numbers.get(merchant) ?? (await feed.lastSeenBefore(merchant, before).catch(fail));
        if (place + 1 < oldest) throw expired(since);
        if (place > newest) throw unknownPlace();
        return [merchant, place] as const;
      });
      return { time: after?.time ?? time, numbers: new Map(await Promise.all(places)) };
    },
    ...createCount(maxSubscriptions),
    shareCheck: <T>(key: string, check: () => Promise<T>) => {
      const known = checks.get(key) ?? check();
      checks.set(key, known);
      // Everybody who uses a key checks the same.
      return known as Promise<T>;
    },
    watch: hub.watch,
    stop: hub.stop,
  };
}

/** Counts subscriptions. */
function createCount(max: number): Pick<Events, 'enter' | 'count'> {
  const counts = new Map<string, number>();
  let all = 0;
  const enter = (owner: string) => {
    const own = counts.get(owner) ?? 0;
    if (all >= max || own >= Math.ceil(max / 2)) throw tooMany();
    all++;
    counts.set(owner, own + 1);
    return () => {
      all--;
      const left = (counts.get(owner) ?? 0) - 1;
      if (left > 0) counts.set(owner, left);
      else counts.delete(owner);
    };
  };
  return { enter, count: () => all };
}

function tooMany(): GraphQLError {
  return new GraphQLError(
    'Too many subscriptions are open, of this caller or of all. Close some, or try again later.',
    { extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } },
  );
}

/** Nothing tells what happens at the merchant. */
function noFeed(): GraphQLError {
  return new GraphQLError(
    'Events require a replica of the merchant that is kept up to date. `Merchant.replica` shows its state.',
    { extensions: { code: 'NO_REPLICA' } },
  );
}

function expired(since: Date | null): GraphQLError {
  const kept = since?.toISOString();
  return new GraphQLError(
    `Events after this cursor are not kept any more: there are events since ${kept}. Read what you need from the lists, then start again without a cursor.`,
    { extensions: { code: 'EVENTS_EXPIRED', eventsSince: kept } },
  );
}

function fail(): never {
  throw new GraphQLError('The events cannot be read. Try again later.', {
    extensions: { code: 'EVENTS_UNAVAILABLE' },
  });
}
