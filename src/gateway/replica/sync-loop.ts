import { fetchExistingRecord } from '../upstream/fetch-record.ts';
import { openPages } from '../upstream/list.ts';
import { path } from '../upstream/path.ts';
import { type RestRecord, readInstantOrNull } from '../upstream/record.ts';
import { RestError, ShapeError } from '../upstream/rest-error.ts';
import { LeaseLostError } from './store/changes.ts';
import type { Claimed } from './store/turns.ts';
import { isLostPlace, reasonToStop, type SyncParts, syncMerchant } from './sync.ts';

/** Sync of all merchants, as long as the process runs. */
export interface Sync {
  /** Looks for work at once. */
  wake(): void;
  /** Waits for what is running. */
  stop(): Promise<void>;
}

/** What the loop needs besides {@link SyncParts}. */
export interface LoopParts extends Omit<SyncParts, 'signal'> {
  /** The merchants with writes that the replica does not show yet. */
  readonly listWritten: () => Promise<readonly string[]>;
  /** After how many days events, and merchants that the app has left, are deleted. */
  readonly keepDays: number;
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
}

/** How often the loop looks for work. */
const LOOK_MS = 500;
/** Merchants that one process works on at a time. */
const AT_A_TIME = 4;
const MERCHANTS_EVERY_S = 60;
/** When they are listed again after a failure. */
const MERCHANTS_AGAIN_S = 5;

const POLL_WANTED_MS = 2_000;
const POLL_ENDPOINT_MS = 5_000;
const POLL_MS = 30_000;
const POLL_QUIET_MS = 300_000;
/** The pauses between two polls, in seconds, for {@link ReplicaStore.measure}. */
export const PAUSES = {
  wanted: POLL_WANTED_MS / 1_000,
  least: POLL_MS / 1_000,
  most: POLL_QUIET_MS / 1_000,
};
const PAUSE_LEFT_MS = { MORE: 0, SOON: 1_000 };
/** Pause between two pages of a comparison. */
const COMPARE_MS = 10_000;
/** Longest pauses after failures. The breaker limits the calls to a service that is down. */
const MAX_PAUSE_MS = 60_000;
const MAX_PAUSE_USED_MS = 5_000;
/** After so many failures in a row, the operator is told once. */
const REPORTED_FAILURES = 3;

/** Starts to keep the replica up to date. */
export function startSync(parts: LoopParts): Sync {
  const { store, report } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isFailing = false;

  async function look(): Promise<void> {
    if (await store.takeMerchants(MERCHANTS_EVERY_S)) {
      await listMerchants(parts).catch(async (error) => {
        await store.listAgain(MERCHANTS_AGAIN_S);
        throw error;
      });
      await store.trimEvents(parts.keepDays);
      isFailing = false;
    }
    const written = await parts.listWritten();
    if (written.length > 0) {
      const copied = new Set((await store.want(written)).map(({ merchant }) => merchant));
      await parts.forgetWrites(written.filter((merchant) => !copied.has(merchant)));
    }
    while (!signal.aborted && running.size < AT_A_TIME) {
      const claimed = await store.claim();
      if (claimed === undefined) break;
      const work = syncOne({ ...parts, signal }, claimed).finally(() => {
        running.delete(work);
        wake();
      });
      running.add(work);
    }
  }

  function wake(): void {
    if (signal.aborted) return;
    clearTimeout(timer);
    looking ??= look()
      .catch((error: Error) => {
        if (!isFailing && !signal.aborted) {
          report(`The replica cannot be kept up to date: ${error.message}`);
        }
        isFailing = true;
      })
      .then(() => {
        looking = undefined;
        if (!signal.aborted) timer = setTimeout(wake, LOOK_MS).unref();
      });
  }

  wake();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await looking;
      await Promise.all(running);
    },
  };
}

const WRONG_KEY = 'PAYMENTS_API_KEY: the payments service does not accept this key';

/** Reads which merchants the gateway's app is a member of. */
async function listMerchants({ client, store, lists, keepDays }: LoopParts): Promise<void> {
  const app = await fetchExistingRecord<RestRecord>(client, path`/me`, 'identity').catch(
    (error) => {
      const isRejected = error instanceof RestError && error.status === 401;
      throw isRejected ? new Error(WRONG_KEY, { cause: error }) : error;
    },
  );
  const pages = openPages<RestRecord<'created'>>(
    client,
    path`/identities/${app.id}/merchants`,
    { name: 'merchants' },
    () => {},
  );
  const merchants = new Map<string, Date | null>();
  for (let before: string | undefined; ; ) {
    const cursor = before === undefined ? {} : { before };
    const { records } = await pages.fetch({ limit: client.pageMax, ...cursor });
    const last = records.at(-1);
    // The same page for ever.
    if (last === undefined || merchants.has(last.id)) break;
    for (const record of records) merchants.set(record.id, createdOf(record));
    before = last.id;
  }
  const kinds = [lists.lines, lists.transactions, ...lists.others].map(({ kind }) => kind);
  await store.setMerchants(merchants, kinds, keepDays);
}

/** When a merchant was created; null if that cannot be read. */
function createdOf(merchant: RestRecord<'created'>): Date | null {
  try {
    return readInstantOrNull(merchant, 'created');
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}

async function syncOne(parts: LoopParts & SyncParts, claimed: Claimed): Promise<void> {
  const { store, report } = parts;
  try {
    const left = await syncMerchant(parts, claimed);
    await store.release(claimed, left === 'NOTHING' ? pauseOf(claimed) : PAUSE_LEFT_MS[left]);
  } catch (error) {
    await giveBack(parts, claimed, error).catch((failure: Error) =>
      report(`The replica of merchant ${claimed.merchant} was not given back: ${failure.message}`),
    );
  }
}

async function giveBack(
  { store, report, signal }: LoopParts & SyncParts,
  claimed: Claimed,
  error: unknown,
) {
  if (error instanceof LeaseLostError) return;
  if (signal.aborted) return void (await store.release(claimed, 0));
  const reason = reasonToStop(error);
  if (reason !== undefined) {
    report(
      `The replica of merchant ${claimed.merchant} is not kept up to date any more. ${reason}`,
    );
    await store.stop(claimed, reason);
    return;
  }
  if (isLostPlace(error)) await store.change(claimed, (tx) => tx.copyAgain());
  const failures = claimed.failures + 1;
  if (failures === REPORTED_FAILURES) {
    const message = error instanceof Error ? error.message : '';
    report(`The replica of merchant ${claimed.merchant} cannot be kept up to date: ${message}`);
  }
  const isUsed = claimed.isWanted || claimed.hasEndpoint;
  const longest = isUsed ? MAX_PAUSE_USED_MS : MAX_PAUSE_MS;
  const pause = Math.min(longest, 1_000 * 2 ** Math.min(failures, 16));
  await store.release(claimed, pause, failures);
}

/** When a merchant is polled again: soon while it is used, seldom if nothing happens for long. */
function pauseOf({ isWanted, hasEndpoint, quietSeconds, isComparisonDue }: Claimed): number {
  if (isWanted) return POLL_WANTED_MS;
  if (hasEndpoint) return POLL_ENDPOINT_MS;
  const pause = Math.min(POLL_QUIET_MS, Math.max(POLL_MS, quietSeconds * 100));
  return isComparisonDue ? Math.min(pause, COMPARE_MS) : pause;
}
