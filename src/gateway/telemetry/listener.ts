import { channel } from 'node:diagnostics_channel';
import type { Topic } from '../channels.ts';

/** Listens to what the gateway publishes. */
export interface Listener {
  on<Message>(topic: Topic<Message>, listen: (message: Message) => void): void;
  stop(): void;
}

/**
 * Creates a listener. It catches errors in its callbacks, because an error in a subscriber of a
 * channel ends the process.
 *
 * @param onBug called with such errors
 */
export function createListener(onBug: (error: unknown) => void): Listener {
  const stops: (() => void)[] = [];
  return {
    on: (topic, listen) => {
      const guarded = (message: unknown) => {
        try {
          // The topic published the message, so it has the type of the topic.
          listen(message as Parameters<typeof listen>[0]);
        } catch (error) {
          onBug(error);
        }
      };
      const subscribed = channel(topic.name);
      subscribed.subscribe(guarded);
      stops.push(() => subscribed.unsubscribe(guarded));
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}
