import { type Ask, createAsk } from '../../support/ask.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import {
  type Stack,
  type StackOptions,
  startGateway,
  startStack,
} from '../../support/start-stack.ts';
import { controlledLimits, createGatewayClock, type GatewayClock } from './gateway-clock.ts';
import { controlWriteTimeouts } from './write-timeouts.ts';

/** A gateway in front of a proxy that counts the calls to the payments service and can fail them. */
export interface ProxiedGateway {
  readonly url: string;
  /** Sends an operation to this gateway, with the key of the demo app unless one is given. */
  readonly ask: Ask;
  readonly proxy: FaultProxy;
  /** Its time, and that of the gateway of `direct`. */
  readonly clock: GatewayClock;
  /** Another gateway, which calls the same service without the proxy, and the service itself. */
  readonly direct: Stack;
  /** Bugs in the gateway, which clients saw as "Unexpected error." */
  readonly bugs: readonly unknown[];
  /** How many POSTs have arrived at the proxy. */
  posts(): number;
  /** Lets the time limit of all writes pass that are being sent. */
  timeOutWrites(): void;
  /** Clears the record of what has arrived, ends all faults and resets the clock. */
  reset(): void;
  close(): Promise<void>;
}

/** Shared by all test files of this process, because starting a sandbox takes about a second. */
const clock = createGatewayClock();
let shared: Promise<Stack> | undefined;

function sharedStack(): Promise<Stack> {
  shared ??= startStack({ ...controlledLimits, clock: clock.clock });
  return shared;
}

/** Starts a gateway behind a proxy, whose time limits only the test lets pass. */
export async function startProxiedGateway(options: StackOptions = {}): Promise<ProxiedGateway> {
  const direct = await sharedStack();
  const { usersUrl, posUrl, paymentsUrl, demoApp } = direct.sandbox;
  const proxy = await startFaultProxy(paymentsUrl);
  const writes = controlWriteTimeouts();
  const gateway = await startGateway({
    ...controlledLimits,
    clock: clock.clock,
    ...options,
    services: { usersUrl, posUrl, paymentsUrl: proxy.url },
  });
  const reset = () => {
    proxy.requests.length = 0;
    proxy.onArrival = undefined;
    proxy.onRead = undefined;
    proxy.onWrite = undefined;
    clock.reset();
  };
  return {
    ...gateway,
    ask: createAsk(gateway.url, demoApp.key),
    proxy,
    clock,
    direct,
    posts: () => proxy.requests.filter((request) => request.startsWith('POST')).length,
    timeOutWrites: writes.pass,
    reset,
    close: async () => {
      reset();
      await gateway.close();
      await proxy.close();
      writes.restore();
    },
  };
}
