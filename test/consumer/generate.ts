import { fileURLToPath } from 'node:url';
import { runTool } from './tool.ts';

/** Generates what the consumers import, with their own tools, before any test. */
export async function setup(): Promise<void> {
  const results = await Promise.all([
    runTool('graphql-codegen', [], folder('clients')),
    runTool('graphql-codegen', [], folder('frontend')),
    runTool('relay-compiler', ['relay.config.json'], folder('relay')),
  ]);
  for (const { failed, output } of results) if (failed) throw new Error(output);
}

function folder(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
