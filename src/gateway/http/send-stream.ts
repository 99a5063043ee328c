import type { ServerResponse } from 'node:http';

/** Waits until more can be written, or the client has left. */
export async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      response.off('drain', end);
      response.off('close', end);
      resolve();
    };
    response.on('drain', end);
    response.on('close', end);
  });
}

/** Sends a stream until it ends or the client leaves, no faster than the client reads. */
export async function sendStream(
  response: ServerResponse,
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  // A new subscriber waits for the head.
  response.flushHeaders();
  for await (const chunk of stream) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}
