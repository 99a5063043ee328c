import { vi } from 'vitest';
import { WRITE_MS } from './gateway-clock.ts';

/** The time limits of the writes that are being sent. */
export interface WriteTimeouts {
  /** Lets all of them pass. */
  pass(): void;
  /** Lets new writes have their own time limits again. */
  restore(): void;
}

/** Longer than any test. */
const NEVER_MS = 2 ** 31 - 1;

/** Takes control of the time limits of all writes with `controlledLimits`, until `restore`. */
export function controlWriteTimeouts(): WriteTimeouts {
  const start = globalThis.setTimeout;
  const limits = new Set<() => void>();
  function startControlled(run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) {
    if (ms !== WRITE_MS) return start(run, ms, ...args);
    limits.add(run);
    return start(() => {}, NEVER_MS);
  }
  vi.stubGlobal('setTimeout', Object.assign(startControlled, start));
  return {
    pass: () => {
      for (const pass of limits) pass();
      limits.clear();
    },
    restore: () => {
      vi.stubGlobal('setTimeout', start);
    },
  };
}
