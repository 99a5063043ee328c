/** Random numbers that depend on a seed only. */
export interface Random {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** An integer from `least` to `most`. */
  integer(least: number, most: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** Creates random numbers from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (probability) => next() < probability,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
  };
}
