import { channel } from 'node:diagnostics_channel';
import * as channels from '../../src/gateway/channels.ts';

const names = Object.values(channels).flatMap((value) => {
  if (typeof value === 'function') return [];
  return 'ofAll' in value ? [value.ofAll.name, value.ofRecorded.name] : [value.name];
});

/**
 * Keeps listeners that come and go from changing what channels are. Node gives a channel another
 * prototype when its first listener comes and when its last one goes. Each time, code that uses the
 * channel gets slower, because V8 has compiled it for what the channel was. A gateway has this
 * once, and a benchmark that turns telemetry on and off would have it again and again. So each
 * channel gets a listener that stays and does nothing, and counts only the others.
 */
export function keepChannelsSteady(): void {
  for (const name of names) {
    const kept = channel(name);
    kept.subscribe(() => {});
    const { subscribe, unsubscribe } = kept;
    let others = 0;
    Object.defineProperty(kept, 'hasSubscribers', { value: false, writable: true });
    const count = (change: number) => {
      others += change;
      Object.assign(kept, { hasSubscribers: others > 0 });
    };
    kept.subscribe = (listener) => {
      subscribe.call(kept, listener);
      count(1);
    };
    kept.unsubscribe = (listener) => {
      count(-1);
      return unsubscribe.call(kept, listener);
    };
  }
}
