import { fileURLToPath } from 'node:url';
import scalars from '../../schema/scalars.json' with { type: 'json' };
import { runTool } from './tool.ts';

/** Generates what the consumers import, with their own tools. */
export async function generate(): Promise<void> {
  const results = await Promise.all([
    runTool('graphql-codegen', [], folder('clients')),
    runTool('graphql-codegen', [], folder('frontend')),
    runTool('relay-compiler', ['relay.config.json'], folder('relay')),
    runTool('genql', genqlArguments, folder('genql')),
    runTool('gql.tada', ['generate-output'], folder('tada'), 'tada/node_modules'),
  ]);
  for (const { failed, output } of results) if (failed) throw new Error(output);
}

/** As documented. */
const genqlArguments = [
  ...['--schema', '../node_modules/tillgraph-schema/schema.graphql', '--output', 'generated'],
  ...Object.entries(scalars).flatMap(([name, type]) => ['--scalar', `${name}:${type}`]),
  '--esm',
];

function folder(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
