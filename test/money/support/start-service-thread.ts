import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What the thread is started with. */
export interface ServiceThreadData {
  /** How many POSTs of the merchant `held` wait before they are all answered. */
  readonly holds: number;
  /** Whether POSTs are applied, as captures of 300, or rejected. */
  readonly applies: boolean;
  /** Two `Int32`: how many POSTs have arrived, and how many are answered. */
  readonly counts: SharedArrayBuffer;
}

/** A payments service in a thread of its own, which is fast and goes on while this one is blocked. */
export interface ServiceThread {
  readonly url: string;
  /** How many POSTs have arrived. */
  posts(): number;
  /** Answers the POSTs that wait, and all later ones at once. */
  release(): void;
  /** Lets POSTs wait again. */
  hold(): void;
  /** Blocks this thread, without its event loop, until as many POSTs are answered. */
  blockUntilAnswered(posts: number): void;
  close(): Promise<void>;
}

/**
 * Starts a payments service that has every transaction. The part of its id before `-` names its
 * merchant.
 */
export async function startServiceThread(
  options: Omit<ServiceThreadData, 'counts'>,
): Promise<ServiceThread> {
  const counts = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const [ARRIVED, ANSWERED] = [0, 1];
  const counters = new Int32Array(counts);
  const workerData: ServiceThreadData = { ...options, counts };
  const file = new URL('service-thread.ts', import.meta.url);
  const worker = new Worker(file, { workerData });
  const [port] = await once(worker, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    posts: () => Atomics.load(counters, ARRIVED),
    release: () => worker.postMessage('release'),
    hold: () => worker.postMessage('hold'),
    blockUntilAnswered: (posts) => {
      for (let count = 0; count < posts; count = Atomics.load(counters, ANSWERED)) {
        Atomics.wait(counters, ANSWERED, count);
      }
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
