import { setTimeout as elapse } from 'node:timers/promises';
import type { FeedEvent } from '../events/feed.ts';
import type { Attempted, Sender } from './send.ts';
import type { Due, WebhookStore } from './webhook-store.ts';

/** What deliveries are made with. */
export interface DispatchParts {
  readonly store: WebhookStore;
  /** Reads one event; undefined if it is not kept any more. */
  readonly readEvent: (merchant: string, seq: number) => Promise<FeedEvent | undefined>;
  /** What is sent of an event. */
  readonly toBody: (event: FeedEvent) => object;
  /** What is sent to test an endpoint of a merchant. */
  readonly toTestBody: (merchant: string) => object;
  readonly sender: Sender;
  readonly keepDays: number;
  /** Called after each attempt. */
  readonly onAttempt: (result: 'accepted' | 'refused' | 'failed') => void;
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
}

/** How often it is looked for work, and how often old deliveries are deleted. */
const LOOK_MS = 500;
const TRIM_MS = 3_600_000;
/** How long a process that stops waits for responses. */
const GRACE_MS = 2_000;
/**
 * Attempts of one process at the same time, at endpoints that work and at all others: however many
 * of those hang, the first ones do not wait for them.
 */
const AT_A_TIME = { proven: 200, unproven: 100 };
/** The pauses between attempts, in seconds. After the last one, there is no other. */
const PAUSES_S = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 86_400];
/** Each pause is up to this share longer, so that many do not come back at the same time. */
const JITTER = 0.2;

/** Deliveries of this process. */
export interface Dispatch {
  /** Waits for the attempts that are running. */
  stop(): Promise<void>;
}

/** Starts to send what happens to the endpoints. */
export function startDispatch(parts: DispatchParts): Dispatch {
  const { store, report, keepDays } = parts;
  const pools = [
    { areProven: true, max: AT_A_TIME.proven, running: new Set<Promise<void>>() },
    { areProven: false, max: AT_A_TIME.unproven, running: new Set<Promise<void>>() },
  ];
  const untilIdle = () => Promise.all(pools.flatMap(({ running }) => [...running]));
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFailing = false;
  let trimmedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function findWork(): Promise<void> {
    while (!signal.aborted && (await store.spread()));
    for (const { areProven, max, running } of pools) {
      const free = max - running.size;
      const due = free > 0 && !signal.aborted ? await store.claimDeliveries(free, areProven) : [];
      for (const one of due) {
        const work = deliver(parts, one, signal)
          .catch((error: Error) => report(`A webhook was not noted as sent: ${error.message}`))
          .finally(() => {
            running.delete(work);
            // The endpoint may have more.
            wake();
          });
        running.add(work);
      }
    }
    if (performance.now() - trimmedAt < TRIM_MS) return;
    trimmedAt = performance.now();
    await store.trimDeliveries(keepDays);
  }

  async function look(): Promise<void> {
    try {
      await findWork();
      isFailing = false;
    } catch (error) {
      if (!isFailing) report(`Webhooks are not sent: ${(error as Error).message}`);
      isFailing = true;
    }
  }

  function wake(): void {
    if (signal.aborted) return;
    clearTimeout(timer);
    looking ??= look().then(() => {
      looking = undefined;
      if (!signal.aborted) timer = setTimeout(wake, LOOK_MS).unref();
    });
  }

  wake();
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await looking;
      await Promise.race([untilIdle(), elapse(GRACE_MS)]);
      // What still waits for a response is sent again by another process, or later.
      await parts.sender.close();
      await untilIdle();
    },
  };
}

/** Makes one attempt. */
async function deliver(parts: DispatchParts, due: Due, signal: AbortSignal): Promise<void> {
  const { store, sender, report, onAttempt } = parts;
  const { merchant, endpoint, url, secrets, attempts } = due;
  const message = await toMessage(parts, due);
  const attempted =
    message === undefined
      ? { status: null, error: 'The event is not kept any more.', durationMs: 0 }
      : await sender.send({ ...message, url, secrets });
  if (attempted.error !== null && signal.aborted) return void (await store.giveBack(due));
  onAttempt(resultOf(attempted));
  const pause = message === undefined ? undefined : PAUSES_S[attempts];
  const nextMs = pause && pause * 1_000 * (1 + Math.random() * JITTER);
  const disabled = await store.noteAttempt(due, attempted, nextMs);
  if (disabled === undefined) return;
  report(`Webhooks of merchant ${merchant} to endpoint ${endpoint} are off. ${disabled}`);
}

const resultOf = ({ status, error }: Attempted) => {
  if (error === null) return 'accepted';
  return status === null ? 'failed' : 'refused';
};

async function toMessage({ readEvent, toBody, toTestBody }: DispatchParts, due: Due) {
  const { merchant, endpoint, number, seq } = due;
  if (seq === null) {
    const id = `test_${endpoint}-${number}`;
    return { id, body: JSON.stringify(toTestBody(merchant)) };
  }
  const event = await readEvent(merchant, seq);
  return event && { id: `evt_${event.id}`, body: JSON.stringify(toBody(event)) };
}
