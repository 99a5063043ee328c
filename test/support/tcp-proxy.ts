import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Decides about bytes before they are forwarded. Returns how many of them are; if not all are, the
 * connection is reset behind them. With `silence`, none are, and the connection stays open.
 */
type Judge = (chunk: Buffer) => number | 'silence';

/** A proxy in front of a server that breaks connections as a test wants. */
export interface TcpProxy {
  readonly port: number;
  /** Decides about what clients send; `undefined` forwards it. */
  onSent: Judge | undefined;
  /** Decides about what the server sends; `undefined` forwards it. */
  onReceived: Judge | undefined;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of this machine. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    join(client, upstream, () => proxy.onSent);
    join(upstream, client, () => proxy.onReceived);
  });

  function join(from: Socket, to: Socket, judge: () => Judge | undefined): void {
    sockets.add(from.setNoDelay());
    from.on('data', (chunk) => {
      const count = judge()?.(chunk) ?? chunk.length;
      if (count === 'silence') return;
      const isBroken = count < chunk.length;
      to.write(chunk.subarray(0, count), () => isBroken && to.resetAndDestroy());
    });
    // A broken connection is what tests want. It closes next.
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroySoon();
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const proxy: TcpProxy = {
    port,
    onSent: undefined,
    onReceived: undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
