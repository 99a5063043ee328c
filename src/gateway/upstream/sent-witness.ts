import { subscribe } from 'node:diagnostics_channel';

const HEADER = /^idempotency-key: (.*)\r$/im;

interface Watch {
  isSent: boolean;
}

/** The watched requests, by key. Two requests can have the same one. */
const watched = new Map<string, Set<Watch>>();

subscribe('undici:client:sendHeaders', (message) => {
  if (watched.size === 0) return;
  // Messages are untyped; undici documents `headers` as a string on this channel.
  const key = HEADER.exec((message as { headers: string }).headers)?.[1];
  for (const watch of watched.get(key ?? '') ?? []) watch.isSent = true;
});

/** Shows whether any part of a request left this process. */
export interface SentWitness {
  isSent(): boolean;
  stop(): void;
}

/**
 * Watches the request with this `Idempotency-Key`. A request that fails before its headers are
 * written was not sent: it waited for a connection, or no connection could be opened. While several
 * requests have the same key, all of them count as sent when one is.
 */
export function watchSending(idempotencyKey: string): SentWitness {
  const watch: Watch = { isSent: false };
  const same = watched.get(idempotencyKey) ?? new Set();
  watched.set(idempotencyKey, same.add(watch));
  return {
    isSent: () => watch.isSent,
    stop: () => {
      same.delete(watch);
      if (same.size === 0) watched.delete(idempotencyKey);
    },
  };
}
