import { createServer, type Socket } from 'node:net';
import { readCommand } from './command.ts';
import { exitCodeOf } from './exit-code.ts';
import { listenInFolder } from './listen-in-folder.ts';
import type { Operator } from './operator.ts';
import { runCommand } from './run-command.ts';
import { readLines } from './socket-lines.ts';
import { PROTOCOL, readRequest, type SocketReply } from './socket-messages.ts';

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

const REQUEST_MS = 5_000;

/** Listens for commands in a DATA_DIR that belongs to this process. */
export async function serveOperator(dataDir: string, open: OpenOperator): Promise<OperatorSocket> {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const server = createServer((socket) => {
    const done = answer(socket, open, closing.signal).finally(() => running.delete(done));
    running.add(done);
  });
  const remove = await listenInFolder(server, dataDir);
  // The socket alone does not keep the process running.
  server.unref();
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      closing.abort();
      await Promise.all(running);
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
  socket.setTimeout(REQUEST_MS, () => socket.destroy());
  const stop = AbortSignal.any([closing, gone.signal]);
  const line = await firstLine(socket, stop);
  socket.setTimeout(0);
  if (line === undefined) {
    socket.destroy();
    return;
  }
  const reply = (message: SocketReply) => void socket.write(`${JSON.stringify(message)}\n`);
  reply(await perform(line, open, (print) => reply({ print }), stop));
  await new Promise<void>((resolve) => {
    if (socket.destroyed) return resolve();
    socket.once('close', () => resolve());
    socket.end(() => socket.destroy());
  });
}

/** Undefined if the connection ends before. */
function firstLine(socket: Socket, stop: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    readLines(socket, resolve);
    if (stop.aborted) resolve(undefined);
    stop.addEventListener('abort', () => resolve(undefined));
  });
}

async function perform(
  line: string,
  open: OpenOperator,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<SocketReply> {
  const request = readRequest(line);
  if (request?.protocol !== PROTOCOL) {
    return { exit: 2, error: 'The gateway has another version of Tillgraph than this command.' };
  }
  try {
    const command = readCommand(request.args);
    const operator = open(request.by, request.key);
    try {
      await runCommand(operator, command, print, stop);
    } finally {
      await operator.close();
    }
    return stop.aborted ? { exit: 1, error: 'The gateway has stopped.' } : { exit: 0 };
  } catch (error) {
    return { exit: exitCodeOf(error), error: error instanceof Error ? error.message : 'Failed.' };
  }
}
