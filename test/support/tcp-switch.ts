import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address in front of a server, whose connections a test breaks. */
export interface TcpSwitch {
  readonly url: string;
  /** Number of open connections that carry something. After an abort, Node opens a spare one. */
  count(): number;
  /** Number of all connections until now that carried something. */
  total(): number;
  /** Breaks every connection, and every later one until it is opened again. */
  shut(): void;
  /** Passes later connections on to a server. */
  open(url: string): void;
  close(): Promise<void>;
}

/** Starts a switch in front of a server. */
export async function startTcpSwitch(url: string): Promise<TcpSwitch> {
  let target: string | undefined = url;
  const sockets = new Set<Socket>();
  const used = new Set<Socket>();
  let total = 0;
  const server = createServer((client) => {
    if (target === undefined) return void client.destroy();
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    sockets.add(client);
    client.once('data', () => {
      used.add(client);
      total++;
    });
    client.pipe(upstream).pipe(client);
    const end = () => {
      sockets.delete(client);
      used.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const one of [client, upstream]) one.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shut = () => {
    target = undefined;
    for (const socket of sockets) socket.destroy();
  };
  return {
    // A server that listens on a port has an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => used.size,
    total: () => total,
    shut,
    open: (other) => {
      target = other;
    },
    close: async () => {
      shut();
      server.close();
      await once(server, 'close');
    },
  };
}
