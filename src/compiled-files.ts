import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sizes and times of change, by path. A file that is missing has neither. */
type Stamps = readonly (readonly [path: string, size?: number, mtimeMs?: number])[];

/** What was compiled last: from which files, and to which. */
export interface Compiled {
  readonly sources: Stamps;
  readonly results: Stamps;
}

/** The stamps of files in `root`. */
export function stampsOf(root: string, paths: readonly string[]): Stamps {
  return paths.map((path) => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    return stats === undefined ? [path] : [path, stats.size, stats.mtimeMs];
  });
}

/** Whether neither a source nor a result has changed since `file` was written. */
export function isUnchanged(root: string, sources: Stamps, file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    const known: Compiled = JSON.parse(text);
    const paths = known.results.map(([path]) => path);
    const now: Compiled = { sources, results: stampsOf(root, paths) };
    return JSON.stringify(now) === text;
  } catch {
    return false;
  }
}

/** Writes what {@link isUnchanged} compares with. */
export function recordCompiled(compiled: Compiled, file: string): void {
  try {
    writeFileSync(file, JSON.stringify(compiled));
  } catch {
    // A folder that cannot be written costs time at the next start, and nothing else.
  }
}
