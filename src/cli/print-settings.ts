import { readFileSync, writeFileSync } from 'node:fs';
import { gatewayGroups } from '../gateway/settings/settings.ts';
import { printDocuments } from '../settings/documents.ts';
import { loadSandboxSettings } from '../start/load-sandbox.ts';

/**
 * `npm run settings` writes the documents about the settings. With `--check`, it only compares
 * them.
 */
const sandbox = await loadSandboxSettings();
const documents = printDocuments([...gatewayGroups, ...(sandbox?.sandboxGroups ?? [])]);

for (const [path, text] of Object.entries(documents)) {
  const file = new URL(`../../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} does not match the declared settings. Run \`npm run settings\`.`);
    process.exitCode = 1;
  }
}
