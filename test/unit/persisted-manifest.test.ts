import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { newScope } from '../../src/gateway/channels.ts';
import { hashIdOf } from '../../src/gateway/execution/documents/persisted/document-id.ts';
import {
  type KnownDocuments,
  NO_DOCUMENTS,
  toKnownDocuments,
} from '../../src/gateway/execution/documents/persisted/known-documents.ts';
import { createPersistedDocuments } from '../../src/gateway/execution/documents/persisted/persisted-documents.ts';
import { readManifest } from '../../src/gateway/execution/documents/persisted/read-manifest.ts';
import { readDocument } from '../../src/gateway/execution/documents/read-document.ts';

const schema = buildSchema('type Query { a: Int b: Int }');
const limits = {
  ...{ tokens: 100, depth: 5, aliases: 5, rootFields: 5, moneyFields: 5, directives: 5 },
  ...{ complexity: 100, errors: 5 },
};
const read = (text: string) =>
  readDocument(text, { schema, limits, introspection: true }, newScope());

const A = '{ a }';
const B = '{ b }';
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

/** A folder of this test with files. */
function folderWith(files: Readonly<Record<string, string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  return folder;
}

async function load(path: string, before: KnownDocuments = NO_DOCUMENTS) {
  return toKnownDocuments(path, await readManifest(path), before, read);
}

async function idsOf(path: string): Promise<Record<string, string>> {
  const { byId } = await load(path);
  return Object.fromEntries([...byId].map(([id, { text }]) => [id, text]));
}

test('the hash of a document is that of the examples in the draft', () => {
  expect(hashIdOf('query ($id: ID!) {\n  user(id: $id) {\n    name\n  }\n}')).toBe(
    'sha256:7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e',
  );
  expect(hashIdOf('query($id:ID!){user(id:$id){name}}')).toBe(
    'sha256:71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b',
  );
});

test.each([
  ['of the code generator', { [sha1(A)]: A, [sha1(B)]: B }],
  ['of Relay', { [md5(A)]: A, [md5(B)]: B }],
  [
    'of Apollo',
    {
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [A, B].map((body) => ({ id: sha1(body), name: 'x', type: 'query', body })),
    },
  ],
])('a manifest %s has documents by their ids, and by their hashes', async (_whose, manifest) => {
  const path = join(folderWith({ 'manifest.json': manifest }), 'manifest.json');
  const hash = 'operations' in manifest || sha1(A) in manifest ? sha1 : md5;
  expect(await idsOf(path)).toEqual({
    ...{ [hash(A)]: A, [hash(B)]: B },
    ...{ [hashIdOf(A)]: A, [hashIdOf(B)]: B },
  });
});

test('an id may be a name that means something in JavaScript', async () => {
  const path = join(
    folderWith({ 'manifest.json': `{"__proto__":"${B}","toString":"${A}"}` }),
    'manifest.json',
  );
  expect(Object.entries(await idsOf(path))).toEqual(
    expect.arrayContaining([
      ['toString', A],
      [hashIdOf(B), B],
    ]),
  );
  expect((await load(path)).byId.get('__proto__')?.text).toBe(B);
});

test('a folder has files with one document each, and manifests; others are left out', async () => {
  const folder = folderWith({
    'a.graphql': `${A}\n`,
    'b.gql': B,
    'c.json': { 'x-app:a': A },
    'README.md': '# Documents',
    '.hidden.json': '{',
  });
  mkdirSync(join(folder, 'deeper'));
  mkdirSync(join(folder, 'old.json'));
  execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  expect(await idsOf(folder)).toEqual({
    ...{ [hashIdOf(`${A}\n`)]: `${A}\n`, [hashIdOf(B)]: B },
    ...{ 'x-app:a': A, [hashIdOf(A)]: A },
  });
});

test('the files of a folder may be links, as in a mounted volume', async () => {
  const folder = folderWith({});
  const version = join(folder, '..2026_11');
  mkdirSync(version);
  writeFileSync(join(version, 'a.json'), JSON.stringify({ one: A }));
  symlinkSync(join(version, 'a.json'), join(folder, 'a.json'));
  expect(await idsOf(folder)).toEqual({ one: A, [hashIdOf(A)]: A });
});

test.each([
  ['no JSON', '{', 'm.json is not a manifest.'],
  ['an array', [A], 'm.json is not a manifest.'],
  ['other values', { a: { text: A } }, 'm.json is not a manifest.'],
  [
    'another version of a manifest',
    { format: 'apollo-persisted-query-manifest', version: 2, operations: [] },
    'm.json is not a manifest.',
  ],
  ['no documents', {}, 'no documents'],
  ['a wrong hash', { [hashIdOf(B)]: A }, 'is not the hash of its text'],
  ['a malformed id', { 'a b': A }, '"a b" cannot be used. An id may contain ASCII letters'],
  ['a reserved prefix', { 'md5:a': A }, '"md5:a" cannot be used. An id with a colon must begin'],
  [
    'a document that is not GraphQL',
    { a: '{' },
    'm.json: the document with the id "a" is not valid. Syntax Error',
  ],
  [
    'an unknown field',
    { a: A, b: '{\n  c }' },
    'm.json: the document with the id "b" is not valid. Cannot query field "c" on type "Query". Did you mean "a" or "b"? (line 2, column 3) Change the document',
  ],
  [
    'too many fields',
    { a: '{ a a a a a a }' },
    'root fields: 6. The limit is 5. Request less at once.',
  ],
])('a manifest with %s is rejected, with its file and its id', async (_what, content, message) => {
  const folder = folderWith({ 'm.json': content });
  await expect(load(folder)).rejects.toThrow(message);
  await expect(load(folder)).rejects.toThrow(`PERSISTED_DOCUMENTS_PATH "${folder}"`);
});

test('two documents must not have one id, also in two files; one document may be in both', async () => {
  const two = folderWith({ 'a.json': { one: A }, 'b.json': { one: B } });
  await expect(load(two)).rejects.toThrow('b.json: the document with the id "one" cannot be used.');
  const same = folderWith({ 'a.json': { one: A }, 'b.json': { one: A, two: A } });
  expect(Object.keys(await idsOf(same)).sort()).toEqual(['one', hashIdOf(A), 'two'].sort());
});

test('everything wrong is reported at once, ten problems at most', async () => {
  const wrong = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`id${at}`, '{ c }']));
  const error = await load(folderWith({ 'm.json': wrong })).catch(({ message }) => message);
  expect(error.match(/is not valid/g)).toHaveLength(10);
  expect(error).toContain('There are 2 more problems.');
});

test('a file or folder that does not exist is rejected with what to do', async () => {
  await expect(load('/nothing/there')).rejects.toThrow(
    'It cannot be read (ENOENT). Set PERSISTED_DOCUMENTS_PATH to a file or a folder',
  );
  await expect(load(folderWith({ 'README.md': '' }))).rejects.toThrow('no files with .graphql');
});

test('a document that was known before is not read again', async () => {
  const before = await load(folderWith({ 'm.json': { one: A } }));
  const after = await load(folderWith({ 'm.json': { two: A, three: B } }), before);
  expect(after.byId.get('two')?.document).toBe(before.byId.get('one')?.document);
  expect(after.byId.has('one')).toBe(false);
});

test('others have their turn while many documents are read', async () => {
  const many = Array.from({ length: 3_000 }, (_, at) => ({
    ...{ file: 'm.json', id: `id${at}` },
    text: `query Q${at} { a b ${'a '.repeat(3)} }`,
  }));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await toKnownDocuments('m.json', many, NO_DOCUMENTS, read);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('a file that is too large is not read', async () => {
  const folder = folderWith({ 'm.json': ' '.repeat(16 * 1_024 ** 2 + 1) });
  await expect(load(folder)).rejects.toThrow('m.json has 16777217 bytes. The limit is 16777216.');
});

test('a request that has found its document is still read after the documents were replaced', async () => {
  const path = folderWith({ 'm.json': { one: A } });
  const settings = { mode: 'only', path } as const;
  const documents = createPersistedDocuments(settings, { schema, limits, introspection: true });
  await documents.load();
  writeFileSync(join(path, 'm.json'), JSON.stringify({ two: B }));
  await documents.load();
  expect(documents.resolve({ query: A })).toMatchObject({
    code: 'PERSISTED_DOCUMENT_REQUIRED',
  });
  expect(documents.find(A)?.text).toBe(A);
});
