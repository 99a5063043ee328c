import { createFlights, type Flights } from './flights.ts';

/** What requests may share while it is in flight: nothing, reads of services, or whole queries. */
export interface CoalesceSettings {
  readonly mode: 'off' | 'upstream' | 'operation';
  /** Whom a write keeps from joining what began before it: its own credential, or everybody. */
  readonly epoch: 'credential' | 'process';
}

/**
 * Separates reads that begin after a write from those that began before it. A credential's epoch
 * is not a number: a new one begins when its flights are forgotten.
 */
export interface Epochs {
  /** Call when a write begins, and when it has ended. */
  raise(owner: string): void;
  /** Call when a write of an unknown credential is known to have had an effect. */
  raiseAll(): void;
  /** Flights that may be joined in an epoch. */
  createFlights<T>(kind: 'upstream' | 'operation'): Flights<T> | undefined;
}

/**
 * Creates the epochs of one process.
 *
 * @param maxAgeMs how long after its start work can be joined; that of flights if left out
 */
export function createEpochs({ mode, epoch }: CoalesceSettings, maxAgeMs?: number): Epochs {
  const all: Pick<Flights<unknown>, 'forget' | 'forgetAll'>[] = [];
  const raiseAll = () => {
    for (const flights of all) flights.forgetAll();
  };
  return {
    raiseAll,
    raise: (owner) => {
      if (epoch === 'process') return raiseAll();
      for (const flights of all) flights.forget(owner);
    },
    createFlights: <T>(kind: 'upstream' | 'operation') => {
      if (mode === 'off' || (mode === 'upstream' && kind === 'operation')) return undefined;
      const flights = createFlights<T>(maxAgeMs);
      all.push(flights);
      return flights;
    },
  };
}
