import { printEnvExample } from './print-env-example.ts';
import { printJsonSchema } from './print-json-schema.ts';
import { printMarkdown } from './print-markdown.ts';
import type { SettingsGroup } from './setting.ts';

/** The files that are generated from the declarations: their text by path from the project's folder. */
export function printDocuments(groups: readonly SettingsGroup[]): Record<string, string> {
  return {
    '.env.example': printEnvExample(groups),
    'docs/settings.md': printMarkdown(groups),
    'schema/settings.schema.json': printJsonSchema('Settings of Tillgraph', groups),
  };
}
