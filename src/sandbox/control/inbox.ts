import { EventEmitter, once } from 'node:events';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** A message that an inbox received. */
export const inboxMessage = z
  .object({
    number: z.int().describe('Counts the messages of all inboxes since the start.'),
    receivedAt: z.iso.datetime().describe('By the clock of the machine.'),
    headers: z
      .record(z.string(), z.string())
      .describe('`content-type`, `user-agent` and those whose names start with `webhook-`.'),
    body: z.string(),
  })
  .meta({ id: 'InboxMessage' });

/** How an inbox responds. */
export const inboxResponse = z
  .strictObject({
    status: z.int().min(200).max(599).default(204),
    delayMs: z.int().min(0).max(600_000).default(0).describe('Waits this long before it responds.'),
  })
  .meta({ id: 'InboxResponse' });

export type InboxMessage = Readonly<z.output<typeof inboxMessage>>;
export type InboxResponse = Readonly<z.output<typeof inboxResponse>>;

interface Inbox {
  /** Newest first. */
  readonly messages: readonly InboxMessage[];
  readonly response: InboxResponse;
}

/** The inboxes of a sandbox. There is one for every name; one that was never used is empty. */
export interface Inboxes {
  /** The inboxes that have received a message, or respond in a way of their own. */
  entries(): [name: string, inbox: Inbox][];
  /** Keeps a message. Returns how the inbox responds to it. */
  add(name: string, message: Pick<InboxMessage, 'headers' | 'body'>): InboxResponse;
  /** Returns the messages after this number, newest first. If there are none, waits for one. */
  list(name: string, after: number, end: AbortSignal): Promise<readonly InboxMessage[]>;
  empty(name: string): void;
  respondWith(name: string, response: InboxResponse): void;
  /** Removes all inboxes. */
  clear(): void;
}

const KEPT_INBOXES = 100;
const KEPT_MESSAGES = 100;

/** Creates inboxes that keep the last messages in memory. */
export function createInboxes(): Inboxes {
  // Only what changes an inbox counts as its use, and not that somebody looks at it.
  const inboxes = new LRUCache<string, Inbox>({ max: KEPT_INBOXES });
  const arrivals = new EventEmitter().setMaxListeners(0);
  let count = 0;
  const find = (name: string) =>
    inboxes.peek(name) ?? { messages: [], response: inboxResponse.parse({}) };
  return {
    entries: () => [...inboxes.entries()],
    add: (name, message) => {
      count++;
      const { messages, response } = find(name);
      const received = { number: count, receivedAt: new Date().toISOString(), ...message };
      inboxes.set(name, { messages: [received, ...messages].slice(0, KEPT_MESSAGES), response });
      arrivals.emit('message');
      return response;
    },
    list: async (name, after, end) => {
      for (;;) {
        const messages = find(name).messages.filter(({ number }) => number > after);
        if (messages.length > 0 || end.aborted) return messages;
        await once(arrivals, 'message', { signal: end }).catch(() => {});
      }
    },
    empty: (name) => {
      if (inboxes.has(name)) inboxes.set(name, { ...find(name), messages: [] });
    },
    respondWith: (name, response) => inboxes.set(name, { ...find(name), response }),
    clear: () => inboxes.clear(),
  };
}
