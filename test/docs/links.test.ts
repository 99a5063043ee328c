import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { type MarkdownFile, readMarkdownFiles, readProse, root } from './documents.ts';

const files = readMarkdownFiles();

/** The targets of a document's links and images that are not on another host. */
function readTargets(text: string): string[] {
  const prose = readProse(text).replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g)];
  const reference = [...prose.matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
  const html = [...prose.matchAll(/\b(?:src|href)="([^"]+)"/g)];
  return [...inline, ...reference, ...html]
    .map(([, target = '']) => target)
    .filter((target) => !/^(https?:|mailto:)/.test(target));
}

/** The anchors that a Markdown renderer makes for a document's headings. */
function readAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of readProse(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const name = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${name}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The links of a document that lead nowhere. */
function brokenLinks({ path, text }: MarkdownFile): string[] {
  return readTargets(text).filter((target) => {
    const [file = '', anchor] = target.split('#');
    const found = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
    if (found.startsWith('..') || !existsSync(root + found)) return true;
    if (anchor === undefined) return false;
    const linked = found === path ? text : readFileSync(root + found, 'utf8');
    return !readAnchors(linked).has(anchor);
  });
}

test.each(files)('every relative link and anchor in $path exists', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

test('links and anchors to nothing are found', () => {
  const text = [
    '# One `two`: three',
    '[a](#one-two-three) [b](#one) [c](README.md) [d](no.md "title") ![e](docs/no.svg)',
    '<img src="no.png"> `[not](a-link.md)` [f](https://example.com) [g](../outside.md)',
    '[h](README.md#no-such-heading)',
    '[i]: none.md',
  ].join('\n');
  expect(brokenLinks({ path: 'CHANGELOG.md', text })).toEqual([
    '#one',
    'no.md',
    'docs/no.svg',
    '../outside.md',
    'README.md#no-such-heading',
    'none.md',
    'no.png',
  ]);
});

test('the README has at most 120 lines, and a page of docs/ at most 200', () => {
  const lengths = files
    .filter(({ path }) => /^(docs\/|README)/.test(path) && path !== 'docs/settings.md')
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));
  const tooLong = lengths.filter(({ path, lines }) => lines > (path === 'README.md' ? 120 : 200));
  expect(tooLong).toEqual([]);
});

test('every document for users is linked from the README', () => {
  const { text = '' } = files.find(({ path }) => path === 'README.md') ?? {};
  const targets = readTargets(text).map((target) => target.split('#')[0]);
  const documents = files.map(({ path }) => path).filter((path) => /^(docs\/|[A-Z])/.test(path));
  const linked = new Set(['README.md', ...targets]);
  expect(documents.filter((path) => !linked.has(path))).toEqual([]);
});
