import { readFileSync } from 'node:fs';

/** `tsc` copies neither CSS nor JavaScript to `dist/`, so both programs read them from `src/`. */
const folder = new URL('../../../src/gateway/graphiql/', import.meta.url);

/** Reads style sheets or browser scripts of this folder, and joins them in their order. */
export function joinAssets(names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
}
