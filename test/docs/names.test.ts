import { existsSync, readFileSync } from 'node:fs';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PAGE_SIZE } from '../../src/gateway/schema/paging.ts';
import { testCards } from '../../src/sandbox/payments/test-cards.ts';
import { findFiles, isAnswer, readCodeBlocks, readMarkdownFiles, root } from './documents.ts';

const files = readMarkdownFiles();
/** For users and contributors; what is inside `src`, `schema` and `bench` names other things. */
const documents = files.filter(({ path }) => /^(docs\/|[A-Z])/.test(path));

const schema = buildSchema(readFileSync(`${root}schema/schema.graphql`, 'utf8'));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** The schema, the programs and their tests, to look names up in. */
const code = ['schema/', 'src/', 'test/gateway/', 'test/money/', 'test/support/']
  .flatMap((folder) => [...findFiles(folder, '.ts'), ...findFiles(folder, '.graphql')])
  .concat('test/docs/invalid-requests.test.ts')
  .map((path) => readFileSync(root + path, 'utf8'))
  .join('\n');

/** The pieces of inline code of a document. */
function readInlineCode(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, piece = '']) => piece);
}

/** The names in a document that nothing has. */
function unknownNames(text: string): string[] {
  // A document can also name what is in a file that it shows.
  const shown = readCodeBlocks(text).filter(({ file }) => file !== undefined);
  const known = [code, ...shown.map((block) => block.code)].join('\n');
  return readInlineCode(text).filter((piece) => {
    if (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(piece))
      return !new RegExp(`\\b${piece}\\b`).test(known);
    if (/^(src|test|schema|docs|bench|\.ci|\.github)\/[\w./-]*$/.test(piece)) {
      return !existsSync(root + piece);
    }
    const [, type, member] = /^([A-Z][a-z]\w*)\.([a-z]\w*)$/.exec(piece) ?? [];
    return type !== undefined && member !== undefined && !hasMember(type, member);
  });
}

function hasMember(name: string, member: string): boolean {
  const type = schema.getType(name);
  if (isEnumType(type)) return type.getValue(member) !== undefined;
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return false;
  return member in type.getFields();
}

describe.each(documents)('$path', ({ text }) => {
  test('names only codes, settings, fields and files that exist', () => {
    expect(unknownNames(text)).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

const { properties } = JSON.parse(readFileSync(`${root}schema/settings.schema.json`, 'utf8'));
const UNITS = { KiB: 1_024, MiB: 1_024 ** 2, seconds: 1_000 };

test('a table that shows defaults of settings shows those of the code', () => {
  const rows = documents
    .filter(({ path }) => path !== 'docs/settings.md')
    .flatMap(({ text }) => [
      ...text.matchAll(/^\|[^|]*\| ([\d,]+) ?(KiB|MiB|seconds)? \| `([A-Z_]+)` \|$/gm),
    ]);
  expect(rows.length).toBeGreaterThan(5);
  for (const [, number = '', unit, setting = ''] of rows) {
    const factor = unit === undefined ? 1 : UNITS[unit as keyof typeof UNITS];
    const shown = Number(number.replaceAll(',', '')) * factor;
    expect([setting, shown]).toEqual([setting, properties[setting].default]);
  }
});

test('the size of a page is that of the code', () => {
  const { description } = properties.MAX_COMPLEXITY;
  const textOf = (name: string) => documents.find(({ path }) => path === name)?.text;
  for (const text of [description, textOf('docs/errors.md')]) {
    expect(text).toContain(`or ${DEFAULT_PAGE_SIZE} if the query has neither`);
  }
  expect(textOf('docs/queries.md')).toContain(`A page has up to ${DEFAULT_PAGE_SIZE} items`);
});

test('names that nothing has are found', () => {
  const text =
    '`NO_SUCH_CODE` `UPSTREAM_TIMEOUT` `src/nowhere.ts` `README.md` `Query.nothing` `Query.viewer`';
  expect(unknownNames(text)).toEqual(['NO_SUCH_CODE', 'src/nowhere.ts', 'Query.nothing']);
});

test('every npm script is explained for contributors', () => {
  const { text = '' } = files.find(({ path }) => path === 'CONTRIBUTING.md') ?? {};
  const names = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name));
  const explained = readInlineCode(text);
  expect(names.filter((name) => !explained.some((piece) => isCommand(piece, name)))).toEqual([]);
});

function isCommand(piece: string, script: string): boolean {
  return [`npm run ${script}`, `npm ${script}`].some(
    (command) => piece === command || piece.startsWith(`${command} `),
  );
}

test.each(files)(
  'every block of code in $path is of a kind that a test runs or checks',
  ({ text }) => {
    const blocks = readCodeBlocks(text);
    const unchecked = blocks.filter(({ language, file, code }, index) => {
      if (language === 'graphql') return !isAnswer(blocks, index + 1);
      if (language === 'json') return file === undefined && !isAnswer(blocks, index);
      if (language === 'ts' || language === 'tsx') return file === undefined;
      // Compared with the file that test/program runs.
      if (language === 'js') return !code.includes("from 'tillgraph/sandbox'");
      return !['', 'text', 'sh'].includes(language);
    });
    expect(unchecked.map(({ line }) => line)).toEqual([]);
  },
);

/** The numbers of a row for several cards: `NN` is a processing error, `N` a reason of fraud. */
function expandCard(number: string): string[] {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
  if (number.endsWith('NN')) {
    const codes = [...range(1, 22), ...range(25, 31)];
    return codes.map((code) => number.slice(0, -2) + code.padStart(2, '0'));
  }
  if (!number.endsWith('N')) return [number];
  return range(0, 8).map((reason) => number.slice(0, -1) + reason);
}

test('the documented test cards are those that the sandbox accepts', () => {
  const { text = '' } = files.find(({ path }) => path === 'docs/sandbox.md') ?? {};
  const numbers = [...text.matchAll(/\b(?:\d{4} ){3}\d{2}(?:\d\d|\dN|NN)(?!\w)/g)].flatMap(
    ([number]) => expandCard(number.replaceAll(' ', '')),
  );
  expect([...new Set(numbers)].sort()).toEqual([...testCards.keys()].sort());
});
