import { subscribe } from 'node:diagnostics_channel';

const HEADER = /^idempotency-key: (.*)\r$/im;

/** Keys of requests that are watched, and whether their headers were written. */
const watched = new Map<string, boolean>();

subscribe('undici:client:sendHeaders', (message) => {
  if (watched.size === 0) return;
  const key = HEADER.exec((message as { headers: string }).headers)?.[1];
  if (key !== undefined && watched.has(key)) watched.set(key, true);
});

/** Tells whether any of a request has left this process. */
export interface SentWitness {
  readonly sent: boolean;
  stop(): void;
}

/**
 * Watches the request with this `Idempotency-Key`. Until its headers are written, whatever
 * goes wrong, nothing was sent: it waited for a connection, or there was none.
 */
export function watchSending(idempotencyKey: string): SentWitness {
  watched.set(idempotencyKey, false);
  return {
    get sent() {
      return watched.get(idempotencyKey) === true;
    },
    stop: () => {
      watched.delete(idempotencyKey);
    },
  };
}
