import { GraphQLError } from 'graphql';
import type { FeedEnds } from './feed.ts';

/** Notices new events of some merchants: all that are stored after it was made. */
export interface Watch {
  /**
   * Resolves when one of the merchants has an event that it did not have when the last call resolved,
   * or after some time; with whether to go on. Rejects if the feeds cannot be read.
   */
  wait(ms: number): Promise<boolean>;
  close(): void;
}

/** How often all feeds that are watched are looked at, together. */
const LOOK_MS = 200;
/** After how long without a look that succeeds all who wait are told. */
const PATIENCE_MS = 2_000;

/** The events that a position was of were deleted, and others begin. */
export function unknownPlace(): GraphQLError {
  return new GraphQLError('The cursor is behind the newest event: it is of other events.', {
    extensions: { code: 'BAD_USER_INPUT', argument: 'after' },
  });
}

interface Watcher {
  /** Whether something has changed since it last waited. */
  hasNews: boolean;
  error: unknown;
  wake: (() => void) | undefined;
}

/**
 * Looks at the feeds of all merchants that are watched, with one statement whatever their number.
 * NOTIFY would be faster by a fifth of a second, and poolers drop it.
 */
export function createHub(
  findEnds: (merchants: readonly string[]) => Promise<readonly FeedEnds[]>,
) {
  const watchers = new Map<string, Set<Watcher>>();
  const known = new Map<string, FeedEnds>();
  let isLooking = false;
  let failedSince: number | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    try {
      for (const end of await findEnds([...watchers.keys()])) {
        const before = known.get(end.merchant);
        known.set(end.merchant, end);
        const error = (before?.made ?? end.made) === end.made ? undefined : unknownPlace();
        if (before?.newest === end.newest && error === undefined) continue;
        for (const watcher of watchers.get(end.merchant) ?? []) notify(watcher, error);
      }
      failedSince = undefined;
    } catch (error) {
      failedSince ??= performance.now();
      if (performance.now() - failedSince < PATIENCE_MS) return lookLater();
      for (const some of watchers.values()) for (const watcher of some) notify(watcher, error);
    }
    lookLater();
  }

  function lookLater(): void {
    isLooking = watchers.size > 0;
    if (isLooking) setTimeout(look, LOOK_MS);
  }

  function notify(watcher: Watcher, error?: unknown): void {
    watcher.hasNews = true;
    watcher.error ??= error;
    watcher.wake?.();
  }

  function remove(merchant: string, watcher: Watcher): void {
    const some = watchers.get(merchant);
    some?.delete(watcher);
    if (some?.size !== 0) return;
    watchers.delete(merchant);
    known.delete(merchant);
  }

  return {
    /** The number of the newest event that was noticed; undefined while nobody watches. */
    newestOf: (merchant: string) => known.get(merchant)?.newest,
    watch: (merchants: readonly string[], closed: AbortSignal | undefined): Watch => {
      const watcher: Watcher = { hasNews: false, error: undefined, wake: undefined };
      for (const merchant of merchants) {
        const some = watchers.get(merchant) ?? new Set();
        watchers.set(merchant, some.add(watcher));
      }
      const wake = () => watcher.wake?.();
      closed?.addEventListener('abort', wake, { once: true });
      if (!isLooking) lookLater();
      return {
        wait: async (ms) => {
          const isEnded = () => isStopped || closed?.aborted === true;
          if (!watcher.hasNews && !isEnded()) await sleep(watcher, ms);
          watcher.hasNews = false;
          if (watcher.error !== undefined) throw watcher.error;
          return !isEnded();
        },
        close: () => {
          for (const merchant of merchants) remove(merchant, watcher);
          closed?.removeEventListener('abort', wake);
        },
      };
    },
    stop: () => {
      isStopped = true;
      for (const some of watchers.values()) for (const watcher of some) watcher.wake?.();
    },
  };
}

function sleep(watcher: Watcher, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    watcher.wake = () => {
      clearTimeout(timer);
      watcher.wake = undefined;
      resolve();
    };
  });
}
