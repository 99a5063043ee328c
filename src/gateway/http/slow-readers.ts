import type { ServerResponse } from 'node:http';

/** How long, and how much of it, responses wait for clients to read them. */
export interface ReadLimits {
  /** How long a client may take to read a response, in milliseconds. */
  readonly responseMs: number;
  /** How many bytes of all responses together may wait. */
  readonly maxUnreadBytes: number;
}

/** The responses whose clients have not read them completely. */
export interface SlowReaders {
  /** Adds a response. Call before anything of it is sent. */
  watch(response: ServerResponse): void;
  stop(): void;
}

const CHECK_EVERY_MS = 1_000;

/**
 * Disconnects clients that read their responses too slowly: a response takes memory until it is
 * read. If all responses together take too much, the oldest are the first to go.
 */
export function watchReaders({ responseMs, maxUnreadBytes }: ReadLimits): SlowReaders {
  /** Since when there is something to read, the oldest response first. */
  const responses = new Map<ServerResponse, number | undefined>();

  function check(): void {
    const now = performance.now();
    let bytes = 0;
    for (const [response, since] of responses) {
      if (!response.headersSent) continue;
      if (since === undefined) responses.set(response, now);
      else if (now - since > responseMs) response.destroy();
      bytes += response.writableLength;
    }
    for (const response of responses.keys()) {
      if (bytes <= maxUnreadBytes) return;
      if (response.writableLength === 0) continue;
      bytes -= response.writableLength;
      response.destroy();
    }
  }

  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  return {
    watch: (response) => {
      responses.set(response, undefined);
      response.once('close', () => responses.delete(response));
    },
    stop: () => clearInterval(timer),
  };
}
