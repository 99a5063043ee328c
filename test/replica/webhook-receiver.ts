import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A receiver that verifies and accepts every message. */
export interface WebhookReceiver {
  /** Without the path, which tells endpoints apart. */
  readonly url: string;
  /** The secret of each endpoint, by its path. */
  readonly secrets: Map<string, string>;
  /** The bodies that came with each `webhook-id`. */
  readonly bodies: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

/**
 * Starts a receiver. A message that cannot be verified fails the test.
 *
 * @param onMessage called before it responds
 */
export async function startReceiver(onMessage: () => void): Promise<WebhookReceiver> {
  const secrets = new Map<string, string>();
  const bodies = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    // The sender disconnected before its last byte.
    if (body === undefined) return;
    const headers = request.headers as Record<string, string>;
    new Webhook(secrets.get(request.url ?? '') ?? '').verify(body, headers);
    const { 'webhook-id': id = '' } = headers;
    bodies.set(id, [...(bodies.get(id) ?? []), body]);
    onMessage();
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    secrets,
    bodies,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
