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
