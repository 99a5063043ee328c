import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isShortEnough, socketPath } from './socket-path.ts';

const TEMPORARY = join(tmpdir(), 'tillgraph-operator-');

/**
 * Lets a server listen in a DATA_DIR that belongs to this process, for its user only. Where
 * the folder's path is too long, or its file system has no sockets, the socket is in a private
 * temporary folder, and the DATA_DIR has a link to it. What a process that has died left is
 * replaced. Returns how to remove the socket.
 */
export async function listenInFolder(server: Server, dataDir: string): Promise<() => void> {
  const path = socketPath(dataDir);
  if (process.platform === 'win32') {
    await bind(server, path);
    return () => {};
  }
  removeTemporary(path);
  const temporary = await publish(server, path, resolve(dataDir));
  const { ino } = lstatSync(path);
  return () => {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    // Another process may have taken the folder, and put its own socket there.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
}

/** Returns the temporary folder, if the socket is in one. */
async function publish(server: Server, path: string, folder: string): Promise<string | undefined> {
  // Nobody else can enter the new folder, so nobody can connect before the mode is set.
  const own = mkdtempSync(join(folder, 'operator-'));
  try {
    const socket = join(own, 's');
    if (isShortEnough(socket) && (await canBind(server, socket))) {
      renameSync(socket, path);
      return undefined;
    }
    const temporary = mkdtempSync(TEMPORARY);
    const elsewhere = join(temporary, 'socket');
    await bind(server, elsewhere);
    symlinkSync(elsewhere, join(own, 'link'));
    renameSync(join(own, 'link'), path);
    return temporary;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

async function canBind(server: Server, path: string): Promise<boolean> {
  try {
    await bind(server, path);
    return true;
  } catch {
    return false;
  }
}

async function bind(server: Server, path: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}

/** Removes the temporary folder of a process that has died. */
function removeTemporary(path: string): void {
  try {
    const folder = dirname(readlinkSync(path));
    if (folder.startsWith(TEMPORARY)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // There is no link.
  }
}
