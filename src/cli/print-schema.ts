import { readFileSync, writeFileSync } from 'node:fs';
import { printSubgraph } from '../gateway/schema/federation/subgraph.ts';
import { introspect, possibleTypesOf, printGraph } from '../gateway/schema/print.ts';
import { schema } from '../gateway/schema.ts';

/** `npm run schema` writes the schema files for clients. With `--check`, it only compares them. */
const texts = {
  'schema.graphql': printGraph(schema),
  'subgraph.graphql': printSubgraph(schema),
  'introspection.json': `${JSON.stringify(introspect(schema), null, 2)}\n`,
  'possible-types.json': `${JSON.stringify(possibleTypesOf(schema), null, 2)}\n`,
};

for (const [name, text] of Object.entries(texts)) {
  const file = new URL(`../../schema/${name}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`schema/${name} is not up to date. Run \`npm run schema\`.`);
    process.exitCode = 1;
  }
}
