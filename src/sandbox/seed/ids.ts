import type { Environment } from '../environment.ts';

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
