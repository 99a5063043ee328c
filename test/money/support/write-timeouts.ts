import { vi } from 'vitest';
import { WRITE_MS } from './gateway-clock.ts';

/** The time limits of the writes that are being sent. */
export interface WriteTimeouts {
  /** Lets all of them pass. */
  pass(): void;
  /** Lets new writes have their own time limits again. */
  restore(): void;
}

/** Takes control of the time limits of all writes with `controlledLimits`, until `restore`. */
export function controlWriteTimeouts(): WriteTimeouts {
  const { timeout } = AbortSignal;
  const writes = new Set<AbortController>();
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== WRITE_MS) return timeout.call(AbortSignal, ms);
    const controller = new AbortController();
    writes.add(controller);
    return controller.signal;
  });
  return {
    pass: () => {
      for (const write of writes) write.abort(new DOMException('Timed out', 'TimeoutError'));
      writes.clear();
    },
    restore: () => spy.mockRestore(),
  };
}
