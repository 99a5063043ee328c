import { parseArgs } from 'node:util';

/** What the benchmark is asked to do. */
export interface Arguments {
  /** Beginnings of the names of scenarios and contestants. */
  readonly words: readonly string[];
  readonly all: boolean;
  readonly check: boolean;
  readonly profile: boolean;
  /** Whether to compile the product first. */
  readonly build: boolean;
}

/** Reads the command line. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      all: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      build: { type: 'boolean', default: true },
    },
  });
  const { all, check, profile, build } = values;
  return { words: positionals, all, check, profile, build };
}

/** Those whose names begin with one of the words; `otherwise` if no word names any. */
export function select<T extends { readonly name: string }>(
  all: readonly T[],
  words: readonly string[],
  otherwise: readonly T[] = all,
): readonly T[] {
  const chosen = all.filter(({ name }) => words.some((word) => name.startsWith(word)));
  return chosen.length === 0 ? otherwise : chosen;
}
