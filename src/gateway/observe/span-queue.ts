import type { SpanRecord } from './span.ts';

/** When spans are sent. The names are those of OpenTelemetry's batch processor. */
export interface BatchSettings {
  readonly delayMs: number;
  readonly queueSize: number;
  readonly batchSize: number;
}

/** What was recorded of a request. Its spans are made when they are sent. */
export interface Recording {
  readonly spanCount: number;
  toSpans(): SpanRecord[];
}

/** Recordings that wait to be sent. */
export interface SpanQueue {
  add(recording: Recording): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** How the spans of a batch ended, or how many found no place. */
export type CountSpans = (result: 'exported' | 'dropped', count: number) => void;

/**
 * Creates a queue. What finds no place in it is dropped, so that a slow collector costs no memory.
 * The spans of many requests are made together: if few requests are recorded, the processor has
 * the code for it in its caches only once for each batch, not once for each request.
 *
 * @param onBug called with an error in a recording
 */
export function createSpanQueue(
  { delayMs, queueSize, batchSize }: BatchSettings,
  send: (spans: readonly SpanRecord[]) => Promise<boolean>,
  count: CountSpans,
  onBug: (error: unknown) => void,
): SpanQueue {
  const queue: Recording[] = [];
  /** Spans of the recordings in the queue. */
  let waiting = 0;
  let sending = Promise.resolve();
  let isSending = false;
  /** Whether a batch may have fewer spans than it could. */
  let isDue = false;
  const timer = setInterval(sendRest, delayMs).unref();

  /** Makes the spans of the oldest recordings: those of a batch, or those of one recording. */
  function takeSpans(): SpanRecord[] {
    let end = 0;
    let taken = 0;
    for (const { spanCount } of queue) {
      if (end > 0 && taken + spanCount > batchSize) break;
      end++;
      taken += spanCount;
    }
    waiting -= taken;
    return queue.splice(0, end).flatMap((recording) => recording.toSpans());
  }

  async function sendBatches(): Promise<void> {
    isSending = true;
    try {
      while (queue.length > 0 && (isDue || waiting >= batchSize)) {
        const spans = takeSpans();
        for (let start = 0; start < spans.length; start += batchSize) {
          const batch = spans.slice(start, start + batchSize);
          count((await send(batch)) ? 'exported' : 'dropped', batch.length);
        }
      }
      isDue = false;
    } catch (error) {
      onBug(error);
    }
    isSending = false;
  }

  function flush(): Promise<void> {
    if (!isSending) sending = sendBatches();
    return sending;
  }

  function sendRest(): Promise<void> {
    isDue = true;
    return flush();
  }

  return {
    add: (recording) => {
      const { spanCount } = recording;
      // A recording that is larger than the whole queue finds a place if it is alone.
      const isFull = queue.length > 0 && waiting + spanCount > queueSize;
      if (isFull) {
        isDue = true;
        count('dropped', spanCount);
      } else {
        queue.push(recording);
        waiting += spanCount;
      }
      if (isFull || waiting >= batchSize) void flush();
    },
    close: async () => {
      clearInterval(timer);
      await sendRest();
    },
  };
}
