import { parseArgs } from 'node:util';

/** What the benchmark is asked to do. */
export interface Arguments {
  /** Beginnings of the names of scenarios and contestants. */
  readonly words: readonly string[];
  readonly all: boolean;
  readonly check: boolean;
  readonly profile: boolean;
  /** Whether to measure for a first look only. */
  readonly quick: boolean;
}

/** Reads the command line. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const { all, check, profile, quick } = values;
  return { words: positionals, all, check, profile, quick };
}

/** Those that a word names, or whose names begin with it; `otherwise` if no word names any. */
export function select<T extends { readonly name: string }>(
  all: readonly T[],
  words: readonly string[],
  otherwise: readonly T[] = all,
): readonly T[] {
  const named = new Set(
    words.flatMap((word) => {
      const exact = all.filter(({ name }) => name === word);
      return exact.length > 0 ? exact : all.filter(({ name }) => name.startsWith(word));
    }),
  );
  const chosen = all.filter((one) => named.has(one));
  return chosen.length === 0 ? otherwise : chosen;
}
