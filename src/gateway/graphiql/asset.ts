import { readFileSync } from 'node:fs';
import { packageFile } from '../../package-files.ts';

const folder = packageFile('src/gateway/graphiql/');

/** Reads style sheets or browser scripts of this folder, and joins them in their order. */
export function joinAssets(names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
}
