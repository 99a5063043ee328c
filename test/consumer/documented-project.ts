import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { readCodeBlocks, readMarkdownFiles } from '../docs/documents.ts';
import { runTool } from './tool.ts';

/** The folder of the consumers. */
export const consumer = fileURLToPath(new URL('.', import.meta.url));

/** The blocks of all documents that show a file. */
export const shown = readMarkdownFiles().flatMap(({ path, text }) =>
  readCodeBlocks(text).flatMap(({ file, code, line }) =>
    file === undefined ? [] : [{ where: `${path}:${line}`, file, code }],
  ),
);

/** The content of a file that one document shows. */
export function codeOf(file: string): string {
  const [block, ...others] = shown.filter((one) => one.file === file);
  expect(others).toEqual([]);
  if (block === undefined) throw new Error(`No document shows ${file}.`);
  return block.code;
}

/** Somebody's project with this configuration file and these sources, and the consumer's packages. */
export function project(configuration: string, text: string, ...sources: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-documents-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(consumer, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'src'));
  for (const source of sources) cpSync(join(consumer, source), join(folder, 'src', nameOf(source)));
  writeFileSync(join(folder, configuration), text);
  return {
    folder,
    run: async (tool: string, ...args: readonly string[]) => {
      const { failed, output } = await runTool(tool, args, folder);
      expect(failed, output).toBe(false);
    },
  };
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
