import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runTool } from './tool.ts';

const consumer = fileURLToPath(new URL('.', import.meta.url));
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const section = readme.slice(readme.indexOf('## For consumers'));

test.each([
  ['codegen.ts', /```ts\n(.*?)```/s, 'graphql-codegen', 'frontend'],
  ['relay.config.json', /```json\n(.*?)```/s, 'relay-compiler', 'relay'],
] as const)('the README’s %s generates', async (file, block, tool, sources) => {
  const root = mkdtempSync(join(tmpdir(), 'tillgraph-readme-'));
  symlinkSync(join(consumer, 'node_modules'), join(root, 'node_modules'));
  mkdirSync(join(root, 'src'));
  cpSync(join(consumer, sources, 'transaction-row.ts'), join(root, 'src/transaction-row.ts'));
  cpSync(join(consumer, 'frontend/money.ts'), join(root, 'src/money.ts'));
  writeFileSync(join(root, file), section.match(block)?.[1] ?? '');
  const { failed, output } = await runTool(tool, [], root);
  expect(failed, output).toBe(false);
  rmSync(root, { recursive: true, force: true });
});
