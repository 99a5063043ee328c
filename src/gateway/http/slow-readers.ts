import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createSlots } from './load.ts';

/** Limits on unread responses. */
export interface ReadLimits {
  /** How long a client may take to read a response, in milliseconds. */
  readonly responseMs: number;
  /** Maximum unread bytes of all responses together. */
  readonly maxUnreadBytes: number;
}

/** The responses that clients have not read completely. */
export interface SlowReaders {
  /** Adds a response. Call before any of it is sent. */
  watch(response: ServerResponse): void;
  stop(): void;
}

const CHECK_EVERY_MS = 1_000;

/** A response that has not been read completely. */
interface Unread {
  readonly response: ServerResponse;
  /** Its connection. A response that waits for another one on it has no events. */
  readonly socket: Socket;
  /** Its place among all responses of this process. */
  readonly order: number;
  remove: () => void;
  /** Since when the client can read it; undefined if it cannot yet. */
  since: number | undefined;
  /** Bytes written to the connection at the last check. */
  written: number;
}

/**
 * Disconnects clients that read their responses too slowly: a response takes memory until it is
 * read. If all responses together take too much, the oldest are the first to go.
 */
export function watchReaders({ responseMs, maxUnreadBytes }: ReadLimits): SlowReaders {
  const unread = createSlots<Unread>();
  let count = 0;

  function check(): void {
    const now = performance.now();
    let bytes = 0;
    for (const each of unread) {
      const { response, socket, since = now } = each;
      // A response that waits for another one has no socket yet, so its client cannot read it.
      if (response.headersSent && response.socket !== null) {
        each.since = isRead(each) ? now : since;
        if (now - each.since > responseMs) socket.destroy();
      }
      if (socket.destroyed) each.remove();
      else bytes += response.writableLength;
    }
    if (bytes > maxUnreadBytes) disconnectOldest(bytes - maxUnreadBytes);
  }

  /** Disconnects clients until this many bytes are free. */
  function disconnectOldest(excess: number): void {
    let left = excess;
    for (const { response, socket } of [...unread].sort((a, b) => a.order - b.order)) {
      if (left <= 0) return;
      if (response.writableLength === 0) continue;
      left -= response.writableLength;
      socket.destroy();
    }
  }

  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  return {
    watch: (response) => {
      const { socket } = response.req;
      const each: Unread = {
        response,
        socket,
        order: count++,
        remove: () => {},
        since: undefined,
        written: 0,
      };
      each.remove = unread.add(each);
      response.once('close', each.remove);
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Whether the client has read everything written so far of an unfinished response, or part of it
 * since the last check: more is written only then.
 */
function isRead(each: Unread): boolean {
  const { response, socket, written } = each;
  if (response.writableEnded) return false;
  each.written = socket.bytesWritten;
  return response.writableLength === 0 || socket.bytesWritten !== written;
}
