import { subscribe } from 'node:diagnostics_channel';

const HEADER = /^idempotency-key: (.*)\r$/im;

/** Keys of the watched requests, and whether their headers were written. */
const watched = new Map<string, boolean>();

subscribe('undici:client:sendHeaders', (message) => {
  if (watched.size === 0) return;
  // Messages are untyped; undici documents `headers` as text on this channel.
  const key = HEADER.exec((message as { headers: string }).headers)?.[1];
  if (key !== undefined && watched.has(key)) watched.set(key, true);
});

/** Shows whether any part of a request has left this process. */
export interface SentWitness {
  readonly sent: boolean;
  stop(): void;
}

/**
 * Watches the request with this `Idempotency-Key`. A request that fails before its headers
 * are written was not sent: it waited for a connection, or no connection could be opened.
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
