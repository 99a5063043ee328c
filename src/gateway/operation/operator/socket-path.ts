import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Longer addresses of Unix sockets are cut off or rejected: the limit is 104 to 108 bytes. */
const MAX_BYTES = 100;

/** Whether a Unix socket can have this address. */
export function isShortEnough(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_BYTES;
}

/** Name of the socket in a DATA_DIR, or of a link to it. On Windows it is a named pipe. */
export function socketPath(dataDir: string, platform: NodeJS.Platform = process.platform): string {
  const folder = resolve(dataDir);
  if (platform !== 'win32') return join(folder, 'operator.socket');
  const hash = createHash('sha256').update(folder.toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\tillgraph-${hash}`;
}

/**
 * The address to connect to: that of the socket, or the one that the link leads to. Undefined
 * if there is none.
 */
export function addressOf(dataDir: string): string | undefined {
  const path = socketPath(dataDir);
  try {
    return readlinkSync(path);
  } catch {
    return isShortEnough(path) ? path : undefined;
  }
}
