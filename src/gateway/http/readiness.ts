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

/** How long the state of the store is remembered. */
const REMEMBERED_MS = 1_000;

/**
 * Creates the readiness of a process that accepts requests.
 *
 * @param services the breaker of each service
 * @param hasStore whether money operations can be stored
 */
export function createReadiness(
  services: { readonly payments: Service; readonly users: Service },
  hasStore: () => Promise<boolean>,
): Readiness {
  let isDraining = false;
  let isReady = true;
  let readAt = Number.NEGATIVE_INFINITY;
  // The store was opened before.
  let isStored = true;

  /** Reads the store in the background, so that a store that hangs delays no answer. */
  function readStore(): void {
    if (performance.now() - readAt < REMEMBERED_MS) return;
    readAt = performance.now();
    void hasStore().then((result) => {
      isStored = result;
    });
  }
  const show = ({ isOpen }: Service) => (isOpen() ? 'degraded' : 'ok');
  return {
    drain: (isReplaced) => {
      isDraining = true;
      isReady &&= isReplaced;
    },
    isDraining: () => isDraining,
    read: () => {
      readStore();
      const body = JSON.stringify({
        status: isReady ? 'ready' : 'draining',
        payments: show(services.payments),
        users: show(services.users),
        money: isStored ? 'ok' : 'unavailable',
      });
      return { status: isReady ? 200 : 503, body };
    },
  };
}
