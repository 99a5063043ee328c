import { expect } from 'vitest';
import { subscribe } from '../support/subscribe.ts';
import { EVENT_FIELDS, type EventNode } from './told.ts';

const SUBSCRIPTION = `subscription ($merchantIds: [ID!], $after: String) {
  events(merchantIds: $merchantIds, after: $after) {
    cursor event { id merchant { rawId } ${EVENT_FIELDS} } } }`;

/** An event that a client has received. */
interface ReceivedEvent extends EventNode {
  readonly id: string;
  readonly merchant: { readonly rawId: string };
}

/** A client that subscribes again whenever its connection breaks, and when it likes. */
export interface EventReader {
  /** Everything that it has received, in order. */
  readonly received: readonly ReceivedEvent[];
  /** How often it has subscribed. */
  readonly subscriptions: number;
  close(): Promise<void>;
}

/** How a client behaves. */
interface Behaviour {
  readonly merchants: readonly string[];
  /** Waits until there is a gateway. */
  readonly untilServing: () => Promise<void>;
  /** Called with each message. Returns whether the client leaves after it. */
  readonly onMessage: (event: ReceivedEvent | null) => boolean;
}

/** Starts a client that remembers nothing but what it has received, and the last cursor. */
export function startReader(url: string, key: string, behaviour: Behaviour): EventReader {
  const { merchants, untilServing, onMessage } = behaviour;
  const received: ReceivedEvent[] = [];
  const reader = { received, subscriptions: 0, close };
  const closing = Promise.withResolvers<void>();
  let after: string | null = null;
  let isClosed = false;

  async function readUntilBroken(): Promise<void> {
    reader.subscriptions++;
    const subscribed = subscribe(url, key, SUBSCRIPTION, { merchantIds: merchants, after });
    void closing.promise.then(subscribed.close);
    for (let isLeaving = false; !isLeaving; ) {
      const message = await subscribed.next().catch(() => undefined);
      if (message === undefined) return;
      expect(message.errors).toBeUndefined();
      const { cursor, event } = message.data.events;
      after = cursor;
      if (event !== null) received.push(event);
      isLeaving = onMessage(event);
    }
    await subscribed.close();
  }

  async function read(): Promise<void> {
    while (!isClosed) {
      await untilServing();
      await readUntilBroken();
    }
  }

  const reading = read();
  async function close(): Promise<void> {
    isClosed = true;
    closing.resolve();
    await reading;
  }
  return reader;
}
