import type { Server } from 'node:http';

/** Starts a server on a free port and prints its URL, for the process that waits for it. */
export function announce(server: Server): void {
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port.');
    console.log(`listening on http://127.0.0.1:${address.port}`);
  });
  process.on('SIGTERM', () => process.exit(0));
}
