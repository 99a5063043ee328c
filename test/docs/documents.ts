import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A Markdown file of the project. */
export interface MarkdownFile {
  /** Path from the project's folder. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of code in a Markdown file. */
export interface CodeBlock {
  /** First word after the fence, such as `graphql`; empty if there is none. */
  readonly language: string;
  /** Second word after the fence: the file that the block shows. */
  readonly file: string | undefined;
  readonly code: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Text between the previous block, or the start of the file, and this block. */
  readonly textBefore: string;
}

/** The project's folder, with a slash at the end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const IGNORED = new Set(['.git', '.data', '.stryker-tmp', 'dist', 'node_modules']);

/** Every Markdown file of the project, in the order of their paths. */
export function readMarkdownFiles(): MarkdownFile[] {
  return findFiles('', '.md').map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
}

/**
 * The files of a folder and those below, by the end of their names, as sorted paths from
 * the project's folder. Installed packages are left out: one of them links back to the project.
 */
export function findFiles(folder: string, ending: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true })
    .filter(({ name }) => !IGNORED.has(name))
    .flatMap((entry) => {
      const path = folder + entry.name;
      if (entry.isDirectory()) return findFiles(`${path}/`, ending);
      return path.endsWith(ending) ? [path] : [];
    })
    .sort();
}

/** The fenced blocks of a Markdown file, in their order. */
export function readCodeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let end = 0;
  for (const found of text.matchAll(/^```([^\n`]*)\n(.*?)^```$/gms)) {
    const [whole, info = '', code = ''] = found;
    const [language = '', file] = info.trim().split(/\s+/);
    const textBefore = text.slice(end, found.index);
    const line = text.slice(0, found.index).split('\n').length;
    blocks.push({ language, file, code, line, textBefore });
    end = found.index + whole.length;
  }
  return blocks;
}

/** A Markdown file without its fenced blocks. */
export function readProse(text: string): string {
  return text.replace(/^```[^\n`]*\n.*?^```$/gms, '');
}

/** A query of a document with the answer that the document prints below it. */
export interface Example {
  readonly line: number;
  readonly query: string;
  /** JSON text; undefined if the next block is not an answer. */
  readonly answer: string | undefined;
}

/** The queries of a Markdown file, in their order. */
export function readExamples(text: string): Example[] {
  const blocks = readCodeBlocks(text);
  return blocks.flatMap(({ language, code, line }, index) => {
    if (language !== 'graphql') return [];
    const next = blocks[index + 1];
    const answer = next !== undefined && isAnswer(blocks, index + 1) ? next.code : undefined;
    return [{ line, query: code, answer }];
  });
}

/** Whether a block is the JSON answer that directly follows a query. */
export function isAnswer(blocks: readonly CodeBlock[], index: number): boolean {
  const block = blocks[index];
  return (
    block?.language === 'json' &&
    block.file === undefined &&
    block.textBefore.trim() === '' &&
    blocks[index - 1]?.language === 'graphql'
  );
}
