import { createFlights, type Flights } from './flights.ts';

/**
 * What requests may share while it is in flight: nothing, reads from services, or whole queries.
 */
export interface CoalesceSettings {
  readonly mode: 'off' | 'upstream' | 'operation';
  /**
   * Whose requests may not join work that started before a write: those of its credential, or all.
   */
  readonly epoch: 'credential' | 'process';
}

/**
 * Separates reads that start after a write from those that started before it. An epoch is not a
 * number: a new one starts when the flights of a credential are forgotten.
 */
export interface Epochs {
  /** Call when a write starts and when it has ended. */
  raise(owner: string): void;
  /** Call when a write by an unknown credential had an effect. */
  raiseAll(): void;
  /** Flights that may be joined in an epoch. */
  createFlights<T>(kind: 'upstream' | 'operation'): Flights<T> | undefined;
}

/**
 * Creates the epochs of one process.
 *
 * @param maxAgeMs how long after its start work can be joined. Default: that of flights
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
