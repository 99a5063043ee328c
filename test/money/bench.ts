import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import {
  type Ask,
  type Stack,
  type StackOptions,
  startGateway,
  startStack,
} from '../support/start-stack.ts';

/** A gateway that meets the payments service through a proxy, which counts and disturbs. */
export interface Bench {
  /** The same service, past the proxy: for what a test begins with, and to look at the books. */
  readonly stack: Stack;
  readonly proxy: FaultProxy;
  readonly gateway: Awaited<ReturnType<typeof startGateway>>;
  /** Asks the gateway behind which the proxy is. */
  readonly ask: Ask;
  /** POSTs that arrived at the proxy. */
  posts(): number;
  /** Forgets what arrived, and lets everything pass. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts one. */
export async function startBench(options: StackOptions = {}): Promise<Bench> {
  const stack = await startStack();
  const { usersUrl, posUrl, paymentsUrl, demoApp } = stack.sandbox;
  const proxy = await startFaultProxy(paymentsUrl);
  const gateway = await startGateway({
    ...options,
    services: { usersUrl, posUrl, paymentsUrl: proxy.url },
  });
  return {
    stack,
    proxy,
    gateway,
    ask: (query, variables, key = demoApp.key) => gateway.ask(query, variables, key),
    posts: () => proxy.requests.filter((request) => request.startsWith('POST')).length,
    reset: () => {
      proxy.requests.length = 0;
      proxy.onRead = undefined;
      proxy.onWrite = undefined;
    },
    close: async () => {
      await gateway.close();
      await proxy.close();
      await stack.close();
    },
  };
}
