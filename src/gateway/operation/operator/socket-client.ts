import { createConnection, type Socket } from 'node:net';
import { OperatorError } from './operator-error.ts';
import { readLines } from './socket-lines.ts';
import type { SocketReply, SocketRequest } from './socket-messages.ts';
import { addressOf } from './socket-path.ts';

/**
 * Lets the gateway that runs on a DATA_DIR perform a command. Returns false if none runs there.
 * Throws an error if the command fails, an {@link OperatorError} if the operator can correct it.
 *
 * @param stop ends the connection without an error
 */
export async function askGateway(
  dataDir: string,
  request: SocketRequest,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<boolean> {
  const address = addressOf(dataDir);
  const socket = address === undefined ? undefined : await connect(address);
  if (socket === undefined) return false;
  try {
    await ask(socket, request, print, stop);
    return true;
  } finally {
    socket.destroy();
  }
}

/** Longest line of a reply, in characters. */
const MAX_REPLY = 16 * 1_024 ** 2;

/** No such file, or nobody listens any more. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);

function connect(address: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(address, () => resolve(socket));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (NOBODY.has(code)) return resolve(undefined);
      const message = `The running gateway cannot be reached at ${address} (${code}). Run the command as the user that runs the gateway.`;
      reject(
        code === 'EACCES' || code === 'EPERM' ? new OperatorError(message) : new Error(message),
      );
    });
  });
}

function ask(
  socket: Socket,
  request: SocketRequest,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    stop.addEventListener('abort', () => resolve());
    socket.on('error', () => {});
    socket.once('close', () => {
      reject(new Error('The gateway has stopped. Repeat the command to see what was done.'));
    });
    readLines(socket, MAX_REPLY, (line) => {
      // Written by the gateway's side of this socket, in the same version.
      const reply = JSON.parse(line) as SocketReply;
      if ('print' in reply) print(reply.print);
      else if (reply.exit === 0) resolve();
      else reject(reply.exit === 2 ? new OperatorError(reply.error) : new Error(reply.error));
    });
    socket.write(`${JSON.stringify(request)}\n`);
  });
}
