import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import { expected, readAnswer } from './answers.ts';
import type { Ask } from './contestants/ask.ts';
import { bodyOf, type Dialect } from './operations.ts';
import { COUNTER, COUNTER_DIGITS, type Request, type Scenario } from './scenarios.ts';
import { keys } from './services/records.ts';
import type { CountingUpstream } from './services/start-built-in.ts';

/** A contestant that answered every request of a scenario rightly. */
export interface Verified {
  readonly callsPerRequest: number;
  /** The lengths of its answers. */
  readonly lengths: readonly number[];
}

/** How many requests are sent, and over how many connections. */
interface Extent {
  readonly requests: number;
  readonly connections: number;
}
let counter = Date.now() % 1_000_000_000;

/**
 * Sends requests and compares each answer with the records. Counts the calls to the upstream.
 * Throws at the first answer that is wrong.
 */
export async function verify(
  url: string,
  dialect: Dialect,
  { requests }: Scenario,
  upstream: CountingUpstream,
  extent: Extent,
): Promise<Verified> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: extent.connections });
  const lengths = new Set<number>();
  const before = await upstream.calls();
  let sent = 0;

  async function connection(): Promise<void> {
    while (sent < extent.requests) {
      const request = requests[sent++ % requests.length];
      if (request === undefined) throw new Error('The scenario has no requests.');
      const ask = unique(request.ask);
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: pathname,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${keys[request.sender]}`,
        },
        body: bodyOf(dialect, { ...request, ask }),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`Status ${statusCode}: ${text.slice(0, 500)}`);
      if (dialect !== 'none') checkAnswer(dialect, { ...request, ask }, text);
      lengths.add(Buffer.byteLength(text));
    }
  }

  try {
    await Promise.all(Array.from({ length: extent.connections }, connection));
  } finally {
    await pool.destroy();
  }
  const calls = (await upstream.calls()) - before;
  return { callsPerRequest: calls / extent.requests, lengths: [...lengths] };
}

/** Throws if an answer does not say what the records do. */
function checkAnswer(dialect: Dialect, { ask, sender }: Request, text: string): void {
  if (isDeepStrictEqual(readAnswer(dialect, ask, text), expected(ask, sender))) return;
  throw new Error(`${JSON.stringify(ask)} was answered ${text.slice(0, 1000)}`);
}

/** A request whose counter has a value that no other one has. */
function unique(ask: Ask): Ask {
  const text = JSON.stringify(ask);
  if (!text.includes(COUNTER)) return ask;
  counter += 1;
  return JSON.parse(text.replaceAll(COUNTER, String(counter).padStart(COUNTER_DIGITS, '0')));
}
