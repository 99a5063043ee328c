import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Where a function begins. Lines and columns count from 0. */
interface Place {
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/**
 * Creates a function that returns the address of the source from which a place was compiled, or
 * that of its own file if no source map is beside it.
 */
export function createSourceFinder(): (place: Place) => string {
  const maps = new Map<string, SourceMap | undefined>();
  return ({ url, lineNumber, columnNumber }) => {
    if (!maps.has(url)) maps.set(url, readMap(url));
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    return entry !== undefined && 'originalSource' in entry
      ? new URL(entry.originalSource, url).href
      : url;
  };
}

function readMap(url: string): SourceMap | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = `${fileURLToPath(url)}.map`;
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}
