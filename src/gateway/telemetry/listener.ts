import { channel } from 'node:diagnostics_channel';
import type { Topic } from '../channels.ts';

/** Listens to what the gateway publishes. */
export interface Listener {
  on<Message>(topic: Topic<Message>, listen: (message: Message) => void): void;
  stop(): void;
}

/**
 * Creates a listener. An error in it must not end the process, which is what a channel would do.
 *
 * @param onBug called with such errors
 */
export function createListener(onBug: (error: unknown) => void): Listener {
  const stops: (() => void)[] = [];
  return {
    on: (topic, listen) => {
      const guarded = (message: unknown) => {
        try {
          // The topic has published it, so it is of its type.
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
