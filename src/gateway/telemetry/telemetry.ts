import type { GatewaySettings } from '../settings/settings.ts';
import { createListener } from './listener.ts';
import { openOperationsPort } from './operations-port.ts';
import type { Readable } from './read-gauges.ts';

/** Options of a gateway's telemetry. */
export interface TelemetryOptions
  extends Pick<GatewaySettings, 'operations' | 'log' | 'otlpEndpoint'>,
    Readable {
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** The running telemetry of a gateway. */
export interface Telemetry {
  /** Address of the operations port; undefined if it is not open. */
  readonly url: string | undefined;
  /** Closes the operations port. Metrics and traces are still exported. */
  closePort(): Promise<void>;
  /** Exports the remaining data, and stops. */
  close(): Promise<void>;
}

/**
 * Starts what the settings turn on: the operations port, and the export of metrics and traces. A
 * process can have only one telemetry, because all its gateways publish to the same channels.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { operations, otlpEndpoint, gateway, onBug } = options;
  const hasPort = operations.port !== undefined;
  const hasCollector = otlpEndpoint !== undefined;
  if (!hasPort && !hasCollector) {
    return { url: undefined, closePort: async () => {}, close: async () => {} };
  }
  // Loaded only here, so that a gateway without telemetry does not wait for it.
  const { startSdk } = await import('./sdk.ts');
  const listener = createListener(onBug);
  const sdk = startSdk({ ...options, listener, hasPort, hasCollector });
  const close = async () => {
    listener.stop();
    await sdk.close();
  };
  if (operations.port === undefined) return { url: undefined, closePort: async () => {}, close };
  const { host, port } = operations;
  const paths = {
    '/metrics': async () => ({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      body: await sdk.showMetrics(),
    }),
    '/health': () => ({ status: 200, type: 'text/plain; charset=utf-8', body: '' }),
    '/ready': () => ({ type: 'application/json', ...gateway.readiness() }),
  };
  try {
    const opened = await openOperationsPort({ host, port }, paths, onBug);
    return {
      url: opened.url,
      closePort: opened.close,
      close: async () => {
        await opened.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
