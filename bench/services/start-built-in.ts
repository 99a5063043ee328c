import { fileURLToPath } from 'node:url';
import { type Place, startChild } from '../process.ts';

/** A running upstream. */
export interface Upstream {
  readonly name: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** The upstream that counts its calls. */
export interface CountingUpstream extends Upstream {
  /** Calls since the start. */
  calls(): Promise<number>;
}

const upstream = fileURLToPath(new URL('upstream.ts', import.meta.url));

/** Starts the built-in upstream, which answers late by the given time. */
export async function startBuiltIn(
  latencyMs = 0,
  place: Place = 'rest',
): Promise<CountingUpstream> {
  const env = { LATENCY_MS: String(latencyMs) };
  const child = await startChild({
    command: process.execPath,
    args: [upstream],
    env,
    place,
  });
  return {
    name: 'built-in',
    url: child.url,
    stop: child.stop,
    calls: async () => {
      const response = await fetch(`${child.url}/bench/calls`);
      return Number(await response.text());
    },
  };
}
