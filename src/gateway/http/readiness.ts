/** Something that calls can be stopped for. */
interface Service {
  isOpen(): boolean;
}

/** Whether this process should get requests, and how the parts behind it are. */
export interface Readiness {
  /**
   * From now on, the process should get no more requests.
   *
   * @param isReplaced whether another process gets them, so that the gateway stays ready
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
 * @param isStored whether money operations can be stored, as far as it is known
 */
export function createReadiness(
  services: { readonly payments: Service; readonly users: Service },
  isStored: () => boolean,
): Readiness {
  let isDraining = false;
  let isReady = true;
  const show = ({ isOpen }: Service) => (isOpen() ? 'degraded' : 'ok');
  return {
    drain: (isReplaced) => {
      isDraining = true;
      isReady &&= isReplaced;
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
