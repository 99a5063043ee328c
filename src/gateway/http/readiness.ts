/** A service with a breaker. */
interface Service {
  isOpen(): boolean;
}

/** Whether this process should get requests, and the state of the parts behind it. */
export interface Readiness {
  /**
   * Stops new requests to the process.
   *
   * @param isReplaced whether another process takes over, so that the gateway stays ready
   */
  drain(isReplaced: boolean): void;
  isDraining(): boolean;
  /** What `GET /ready` returns. A service that fails does not make the process unready. */
  read(): { readonly status: 200 | 503; readonly body: string };
}

/**
 * Creates the readiness of a process that accepts requests.
 *
 * @param services the breaker of each service
 * @param isStored whether money operations could be stored when last checked
 * @param onDrain ends what would go on for ever
 */
export function createReadiness(
  services: { readonly payments: Service; readonly users: Service },
  isStored: () => boolean,
  onDrain: () => void,
): Readiness {
  let isDraining = false;
  let isReady = true;
  const show = ({ isOpen }: Service) => (isOpen() ? 'degraded' : 'ok');
  return {
    drain: (isReplaced) => {
      isDraining = true;
      isReady &&= isReplaced;
      onDrain();
    },
    isDraining: () => isDraining,
    read: () => {
      const body = JSON.stringify({
        status: isReady ? 'ready' : 'draining',
        payments: show(services.payments),
        users: show(services.users),
        money: isStored() ? 'ok' : 'unavailable',
      });
      return { status: isReady ? 200 : 503, body };
    },
  };
}
