import type { ServerResponse } from 'node:http';

/** The body of a response whose head is complete. */
interface Ready {
  readonly response: ServerResponse;
  readonly text: string;
  readonly encoding: BufferEncoding;
}

/** Ends a response with its body, together with others. */
export type EndLater = (response: ServerResponse, text: string, encoding: BufferEncoding) => void;

/**
 * Responses that become ready in one turn of the event loop are written one after the other at
 * its end. The system wakes a reader that sleeps for each of them if they are written apart, and
 * only once if the next one comes while it still reads. A wake-up costs more than the write.
 */
export function createEndLater(): EndLater {
  let ready: Ready[] = [];

  function endAll(): void {
    const all = ready;
    ready = [];
    for (const { response, text, encoding } of all) response.end(text, encoding);
  }
  return (response, text, encoding) => {
    if (ready.length === 0) setImmediate(endAll);
    ready.push({ response, text, encoding });
  };
}
