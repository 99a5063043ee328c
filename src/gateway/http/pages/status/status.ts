import type { GatewayState } from '../../../telemetry/gateway-state.ts';

/** Facts about a gateway for its status page. */
export interface About {
  readonly version: string;
  /** Addresses of the services, as set by the operator. */
  readonly services: Readonly<Record<'users' | 'payments' | 'pos', string>>;
  /** Whether the services are the sandbox. */
  readonly isSandbox: boolean;
  /** Whether GraphiQL and the diagram are served. */
  readonly hasPages: boolean;
  readonly started: Date;
}

/** A part of the system, and its state. */
export interface Part {
  readonly name: string;
  readonly state: 'ok' | 'degraded' | 'unavailable';
  /** One sentence. */
  readonly detail: string;
  readonly address?: string;
}

/** The state of a gateway, as programs read it. */
export interface Status {
  /** `ok`, or the worst state of a part. */
  readonly status: Part['state'];
  readonly version: string;
  readonly node: string;
  /** ISO 8601. */
  readonly started: string;
  readonly now: string;
  readonly sandbox: boolean;
  readonly parts: readonly Part[];
  /** Relative to the URL of the status, which can be below a path of a reverse proxy. */
  readonly links: Readonly<Record<string, string>>;
}

/**
 * Shows the last known state of each part without new calls, because anyone can request it without
 * a limit. It contains no key, and nothing that a client sent.
 */
export function readStatus(about: About, gateway: GatewayState): Status {
  const parts: Part[] = [
    { name: 'gateway', state: 'ok', detail: detailOfGateway(gateway) },
    readService(gateway, 'users', about.services.users),
    readService(gateway, 'payments', about.services.payments),
    {
      name: 'payment page',
      state: 'ok',
      detail: 'Payment links point to it. The gateway does not call it.',
      address: about.services.pos,
    },
    gateway.isStored.latest()
      ? { name: 'money operations', state: 'ok', detail: 'Their record can be read and written.' }
      : {
          name: 'money operations',
          state: 'unavailable',
          detail:
            'Their record cannot be read, so no money operation can be made. Queries still work.',
        },
  ];
  const states = parts.map(({ state }) => state);
  return {
    status: (['unavailable', 'degraded'] as const).find((one) => states.includes(one)) ?? 'ok',
    version: about.version,
    node: process.version,
    started: about.started.toISOString(),
    now: new Date().toISOString(),
    sandbox: about.isSandbox,
    parts,
    links: {
      ...(about.hasPages ? { GraphiQL: 'graphql', 'Schema as a diagram': 'schema' } : {}),
      Readiness: 'ready',
    },
  };
}

function detailOfGateway(gateway: GatewayState): string {
  const active = gateway.activeRequests();
  return active === 1 ? '1 request is running.' : `${active} requests are running.`;
}

function readService(gateway: GatewayState, name: 'users' | 'payments', address: string): Part {
  return gateway.services[name].isStopped()
    ? {
        name,
        state: 'degraded',
        detail: 'It fails, so the gateway does not call it for a few seconds.',
        address,
      }
    : { name, state: 'ok', detail: 'The gateway calls it.', address };
}
