import type { SpanRecord } from './span.ts';

/** When spans are sent. The names are those of OpenTelemetry's batch processor. */
export interface BatchSettings {
  readonly delayMs: number;
  readonly queueSize: number;
  readonly batchSize: number;
}

/** Spans that wait to be sent. */
export interface SpanQueue {
  add(spans: readonly SpanRecord[]): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** How the spans of a batch ended, or how many found no place. */
export type CountSpans = (result: 'exported' | 'dropped', count: number) => void;

/** Creates a queue. What finds no place in it is dropped, so that a slow collector costs no memory. */
export function createSpanQueue(
  { delayMs, queueSize, batchSize }: BatchSettings,
  send: (spans: readonly SpanRecord[]) => Promise<boolean>,
  count: CountSpans,
): SpanQueue {
  let queue: SpanRecord[] = [];
  let sending: Promise<void> | undefined;
  const timer = setInterval(flush, delayMs).unref();

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize);
      queue = queue.slice(batchSize);
      count((await send(batch)) ? 'exported' : 'dropped', batch.length);
    }
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  return {
    add: (spans) => {
      const free = queueSize - queue.length;
      queue.push(...spans.slice(0, free));
      if (spans.length > free) count('dropped', spans.length - Math.max(free, 0));
      if (queue.length >= batchSize) void flush();
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
