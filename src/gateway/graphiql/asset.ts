import { readFileSync } from 'node:fs';

/** `tsc` copies neither CSS nor JavaScript to `dist/`, so both programs read them from `src/`. */
const folder = new URL('../../../src/gateway/graphiql/', import.meta.url);

/** Reads a style sheet or a browser script of this folder. */
export function readAsset(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
