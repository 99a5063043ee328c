import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/**
 * Opens the port of a server and returns its URL. Rejects with a message that says what to do.
 *
 * @param prefix of the settings HOST and PORT
 */
export async function openPort(
  server: Server,
  host: string,
  port: number,
  prefix: '' | 'OPERATIONS_' = '',
): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException; // emitted by a server
    const message =
      code === 'EADDRINUSE'
        ? `Port ${port} is taken. Set ${prefix}PORT to another one (0 picks a free one).`
        : `The gateway cannot listen on ${prefix}HOST ${host} and ${prefix}PORT ${port} (${code}).`;
    throw new Error(message, { cause });
  }
  // A server that listens on a port has an AddressInfo; a string is for pipes, null for closed servers.
  const { address, family, port: opened } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`;
}
