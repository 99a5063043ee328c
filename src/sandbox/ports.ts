import { type OpenPort, openPort } from './http/open-port.ts';
import type { ServiceName } from './routes.ts';

/** Where the services listen. 0, the default of a port, picks a free one. */
export interface PortOptions {
  readonly usersPort?: number;
  readonly paymentsPort?: number;
  readonly posPort?: number;
  /** The port of the control interface. Left out, the interface is off. */
  readonly controlPort?: number | 'off' | undefined;
  /** Address of the payments service and of the payment page; loopback if left out. */
  readonly host?: string;
  /** Address of the user records, which have no access control; loopback if left out. */
  readonly usersHost?: string;
  readonly controlHost?: string;
  /** Whether messages name the flags of `tillgraph-sandbox` instead of settings. */
  readonly hasFlags?: boolean;
}

/** The open ports of a sandbox. */
export type Ports = Readonly<Record<ServiceName, OpenPort>> & {
  readonly control: OpenPort | undefined;
};

/** Only this machine can reach it. */
export const LOOPBACK_HOST = '127.0.0.1';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a server on this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}

/**
 * Opens all ports, before anything is created that a taken port would make useless. Requests wait.
 * If a port is taken, closes those that are open and rejects with a message that says what to do.
 */
export async function openPorts(options: PortOptions): Promise<Ports> {
  const { host = LOOPBACK_HOST, usersHost = LOOPBACK_HOST, controlHost = LOOPBACK_HOST } = options;
  const opened: OpenPort[] = [];
  const open = async (name: ServiceName | 'control', address: string, port = 0) => {
    const openedPort = await openOne(name, address, port, options.hasFlags);
    opened.push(openedPort);
    return openedPort;
  };
  try {
    const [users, payments, pos] = [
      await open('users', usersHost, options.usersPort),
      await open('payments', host, options.paymentsPort),
      await open('pos', host, options.posPort),
    ];
    const { controlPort = 'off' } = options;
    const control =
      controlPort === 'off' ? undefined : await open('control', controlHost, controlPort);
    return { users, payments, pos, control };
  } catch (error) {
    await Promise.all(opened.map((port) => port.close()));
    throw error;
  }
}

/** Closes all ports. */
export async function closePorts({ users, payments, pos, control }: Ports): Promise<void> {
  await Promise.all([users, payments, pos, control].map((port) => port?.close()));
}

function openOne(
  name: ServiceName | 'control',
  host: string,
  port: number,
  hasFlags = false,
): Promise<OpenPort> {
  return openPort(host, port).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(`Port ${port} is taken. ${hasFlags ? flagHint(name) : settingHint(name)}`)
      : new Error(`The sandbox cannot listen on ${host}, port ${port} (${error.code}).`);
  });
}

function settingHint(name: ServiceName | 'control'): string {
  return `Set SANDBOX_${name.toUpperCase()}_PORT to another one (0 picks a free one).`;
}

function flagHint(name: ServiceName | 'control'): string {
  if (name === 'control') return 'Choose another one with `--control-port` (0 picks a free one).';
  return 'Choose other ports with `--port`, such as `--port 3000`, or `--port 0` for free ones.';
}
