import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.ts';

// Addresses of services that do not answer, each until the test ends.

/** Refuses connections. */
export async function refusingAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

/** A name that DNS never has. */
export async function unknownName(): Promise<string> {
  return 'http://service.invalid';
}

/** Listens, and then holds its thread, so that it accepts no connection. */
const LISTENER = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
/** More connections than can wait there. */
const WAITING = 16;

/** Lets connections wait. Linux ignores them without an answer, and other systems refuse them. */
export async function fullBacklog(): Promise<string> {
  const worker = new Worker(LISTENER, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = await once(worker, 'message');
  const waiting = Array.from({ length: WAITING }, () => connect(port, '127.0.0.1'));
  for (const socket of waiting) socket.on('error', () => {});
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy();
  });
  await Promise.any(waiting.map((socket) => once(socket, 'connect')));
  return `http://127.0.0.1:${port}`;
}

/** Accepts connections, and never reads from them. */
export async function neverReading(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket.on('error', () => {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
