import type { z } from 'zod';
import type { InboxMessage, InboxResponse, inboxResponse } from '../control/inbox.ts';
import { oneAtATime } from '../sandbox.ts';

/** An inbox, to which any program can send messages such as webhooks. */
export interface Inbox {
  /** Where to send them. */
  readonly url: string;
  /**
   * Resolves with the oldest message that it has not returned yet. Waits for one up to `timeoutMs`,
   * which is 4 seconds by default and at most 30, and rejects if none arrives.
   */
  next(options?: { readonly timeoutMs?: number }): Promise<InboxMessage>;
  /** Lists the last 100 messages, newest first. */
  list(): Promise<InboxMessage[]>;
  clear(): Promise<void>;
  /** Responds to messages with a status, after a delay; with 204 at once if both are left out. */
  respondWith(response?: z.input<typeof inboxResponse>): Promise<InboxResponse>;
}

/** Sends a request to the control interface, and resolves with the body of the response. */
export type Send = (method: string, path: string, body?: string) => Promise<string>;

/** By default, shorter than the time that test runners give a test. */
const ARRIVAL_MS = 4_000;

/** Creates the functions of the inbox at a path of the control interface. */
export function createInbox(url: string, path: string, send: Send): Inbox {
  const inOrder = oneAtATime();
  let last = 0;
  const list = async (query: string) => {
    // The control interface responds with this type.
    const { messages } = JSON.parse(await send('GET', path + query)) as {
      readonly messages: InboxMessage[];
    };
    return messages;
  };
  return {
    url: url + path,
    next: ({ timeoutMs = ARRIVAL_MS } = {}) => {
      const end = performance.now() + timeoutMs;
      return inOrder(async () => {
        const wait = Math.max(0, Math.ceil(end - performance.now()));
        const oldest = (await list(`?after=${last}&wait=${wait}`)).at(-1);
        if (oldest === undefined) {
          throw new Error(`No message arrived at ${path} within ${timeoutMs} ms.`);
        }
        last = oldest.number;
        return oldest;
      });
    },
    list: () => list(''),
    clear: async () => void (await send('DELETE', path)),
    respondWith: async (response = {}) =>
      JSON.parse(await send('PUT', path, JSON.stringify(response))),
  };
}
