import { createServer, type Socket } from 'node:net';
import { readCommand } from './command.ts';
import { exitCodeOf } from './exit-code.ts';
import { listenInFolder } from './listen-in-folder.ts';
import type { Operator } from './operator.ts';
import { runCommand } from './run-command.ts';
import { readLines } from './socket-lines.ts';
import { readRequest, type SocketReply } from './socket-messages.ts';

/** Creates what a command runs on, for an operator with an app key or without one. */
export type OpenOperator = (
  by: string,
  key: string | undefined,
) => Operator & { close(): Promise<void> };

/** A socket through which the operator's command reaches the running gateway. */
export interface OperatorSocket {
  /** Ends `watch`, waits for other commands, and removes the socket. */
  close(): Promise<void>;
}

/** Bounds of what one user can do to the gateway through the socket. */
const MAX_CONNECTIONS = 16;
const MAX_REQUEST = 65_536;
const MAX_UNREAD = 16 * 1_024 ** 2;
/** For the whole request, and for reading the reply. */
const REQUEST_MS = 5_000;
const REPLY_MS = 30_000;
/** How long the commands that run may take when the gateway stops. */
const CLOSE_MS = 2_000;

/** Listens for commands in a DATA_DIR that belongs to this process. */
export async function serveOperator(dataDir: string, open: OpenOperator): Promise<OperatorSocket> {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const done = answer(socket, open, closing.signal).finally(() => running.delete(done));
    running.add(done);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const remove = await listenInFolder(server, dataDir);
  // The socket alone does not keep the process running.
  server.unref();
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      closing.abort();
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_MS);
      await Promise.all(running);
      clearTimeout(late);
      await closed;
      remove();
    },
  };
}

/** Runs the command of one connection. Never throws. */
async function answer(socket: Socket, open: OpenOperator, closing: AbortSignal): Promise<void> {
  const gone = new AbortController();
  socket.on('error', () => {});
  socket.once('close', () => gone.abort());
  const stop = AbortSignal.any([closing, gone.signal]);
  const line = await firstLine(socket, stop);
  if (line === undefined) {
    socket.destroy();
    return;
  }
  const reply = (message: SocketReply) => {
    socket.write(`${JSON.stringify(message)}\n`);
    if (socket.writableLength > MAX_UNREAD) socket.destroy();
  };
  reply(await perform(line, open, (print) => reply({ print }), stop));
  await new Promise<void>((resolve) => {
    if (socket.destroyed) return resolve();
    socket.once('close', () => resolve());
    socket.setTimeout(REPLY_MS, () => socket.destroy());
    socket.end(() => socket.destroy());
  });
}

/** Undefined if the connection ends before, or if the line is too long or too slow. */
function firstLine(socket: Socket, stop: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(undefined), REQUEST_MS);
    const finish = (line?: string) => {
      clearTimeout(late);
      resolve(line);
    };
    readLines(socket, MAX_REQUEST, finish);
    if (stop.aborted) finish();
    stop.addEventListener('abort', () => finish());
  });
}

async function perform(
  line: string,
  open: OpenOperator,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<SocketReply> {
  try {
    const request = readRequest(line);
    const command = readCommand(request.args);
    const operator = open(request.by, request.key);
    try {
      await runCommand(operator, command, print, stop);
    } finally {
      await operator.close();
    }
    const isCut = command.name === 'watch' && stop.aborted;
    return isCut ? { exit: 1, error: 'The gateway has stopped.' } : { exit: 0 };
  } catch (error) {
    return { exit: exitCodeOf(error), error: error instanceof Error ? error.message : 'Failed.' };
  }
}
