import type { Environment } from '../environment.ts';

/**
 * Creates a generator that returns the same numbers in every run (mulberry32): integers from 0 to
 * `below` - 1.
 */
export function createRandom(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Creates a generator of UUIDs v4 from random numbers. */
export function createUuids(random: (below: number) => number): () => string {
  return () =>
    'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) =>
      (place === 'x' ? random(16) : 8 + random(4)).toString(16),
    );
}

/** As many bits of an id as follow the seconds. */
const REST_BITS = 31n;
const REST = (1n << REST_BITS) - 1n;

/**
 * Creates ids as the database does, with a sequence of their own: the ids of the demo data are
 * the same whenever it is inserted.
 */
export function createIds(): Environment['newId'] {
  let last = 0n;
  return async (_tx, seconds, rest) => {
    const wanted = (BigInt(seconds) << REST_BITS) | BigInt(rest);
    last = wanted > last ? wanted : last + 1n;
    const hex = (value: bigint, digits: number) => value.toString(16).padStart(digits, '0');
    return `${hex(last >> REST_BITS, 8)}7469${hex(last & REST, 12)}`;
  };
}
