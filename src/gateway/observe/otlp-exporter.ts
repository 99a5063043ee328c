import { setTimeout as sleep } from 'node:timers/promises';
import { USER_AGENT } from '../../version.ts';
import { within } from '../../within.ts';

/** Where telemetry is sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Statuses after which OTLP demands to send the same again. */
const REPEATED = new Set([429, 502, 503, 504]);
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** An answer that is longer is not read to its end, and its connection is closed. */
const MAX_ANSWER_BYTES = 64 * 1_024;

/** What is sent to a collector, one request after another. */
export interface Exporter {
  /** Sends a request, as JSON. Resolves to whether the collector has accepted it. */
  send(json: string): Promise<boolean>;
  /** Stops waiting between attempts. */
  stop(): void;
}

/**
 * Creates an exporter. The collector may be down for long: a request is given up after some
 * attempts, and a message says so once.
 */
export function createExporter(
  { url, headers, timeoutMs }: OtlpTarget,
  report: (message: string) => void,
): Exporter {
  const stopped = new AbortController();
  let isFailing = false;

  function tell(problem: string | undefined): void {
    if (problem !== undefined && !isFailing) {
      report(`Telemetry could not be sent to the collector: ${problem}`);
    }
    isFailing = problem !== undefined;
  }

  function attempt(body: string): Promise<{ problem?: string; pauseMs?: number }> {
    const late = new AbortController();
    return within(request(body, late.signal), timeoutMs, () => {
      late.abort();
      throw new Error('The collector does not respond.');
    });
  }

  async function request(body: string, signal: AbortSignal) {
    const json = {
      'user-agent': USER_AGENT,
      ...headers,
      'content-type': 'application/json',
    };
    // The headers may contain a key, which only this collector may see.
    const redirect = 'manual';
    const response = await fetch(url, { method: 'POST', headers: json, body, signal, redirect });
    await readSome(response);
    if (response.ok) return {};
    const problem = `it answered with the status ${response.status}`;
    if (!REPEATED.has(response.status)) return { problem };
    const wantedMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
    return { problem, pauseMs: Math.min(wantedMs, LONGEST_PAUSE_MS) };
  }

  async function send(body: string): Promise<string | undefined> {
    for (let count = 1; ; count++) {
      const { problem, pauseMs } = await attempt(body).catch(() => ({
        problem: 'there was no response',
        pauseMs: 0,
      }));
      const isLast = pauseMs === undefined || count === ATTEMPTS || stopped.signal.aborted;
      if (problem === undefined || isLast) return problem;
      const pause = FIRST_PAUSE_MS * 2 ** (count - 1) * (0.5 + Math.random() / 2);
      await sleep(Math.max(pause, pauseMs), undefined, {
        signal: stopped.signal,
        ref: false,
      }).catch(() => {});
    }
  }

  return {
    send: async (json) => {
      const problem = await send(json);
      tell(problem);
      return problem === undefined;
    },
    stop: () => stopped.abort(),
  };
}

/** Reads an answer, which nobody needs, so that its connection can be used again. */
async function readSome({ body }: Response): Promise<void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}
