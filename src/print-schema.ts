import { readFileSync, writeFileSync } from 'node:fs';
import { printGraph } from './gateway/graphql/print.ts';
import { schema } from './gateway/schema.ts';

/** `npm run schema` writes the printed schema; with `--check` it only compares. */
const file = new URL('../schema/schema.graphql', import.meta.url);
const printed = printGraph(schema);

if (!process.argv.includes('--check')) {
  writeFileSync(file, printed);
} else if (readFileSync(file, 'utf8') !== printed) {
  console.error('schema/schema.graphql is not what the code says. Run `npm run schema`.');
  process.exitCode = 1;
}
