import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import scalars from '../../schema/scalars.json' with { type: 'json' };
import { readCodeBlocks, readMarkdownFiles, root } from '../docs/documents.ts';
import { codeOf, consumer, project, shown } from './documented-project.ts';

const clients = ['operations.ts', 'apollo.ts', 'payments-list.tsx', 'urql.ts', 'graphcache.ts'].map(
  (name) => `clients/${name}`,
);

test.each(shown.filter(({ file }) => file.includes('/')))(
  '$where shows $file, which other tests run',
  ({ file, code }) => {
    expect(existsSync(root + file)).toBe(true);
    expect(code).toBe(readFileSync(root + file, 'utf8'));
  },
);

test('every other file that a document shows is tested below, or in the file that is named', () => {
  const others = shown.map(({ file }) => file).filter((file) => !file.includes('/'));
  const tested = {
    'documents.test.ts': ['codegen.ts', 'relay.config.json'],
    'persisted-documents.test.ts': ['execute.ts', 'network.ts'],
    'event-programs.test.ts': ['keep-copy.ts', 'receiver.ts'],
    'subscriptions.test.ts': [
      ...['subscribe.ts', 'watch.ts', 'events.ts', 'urql-client.ts', 'apollo-client.ts'],
      ...['relay-environment.ts', 'payment-events.ts'],
    ],
  };
  for (const [path, files] of Object.entries(tested)) {
    const text = readFileSync(join(consumer, path), 'utf8');
    for (const file of files) expect(text).toContain(`'${file}'`);
  }
  expect(others.sort()).toEqual(Object.values(tested).flat().sort());
});

/** What `npm create vite` sets for React, apart from the types of Vite itself. */
const viteOptions = JSON.stringify({
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    types: [],
    skipLibCheck: true,
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    moduleDetection: 'force',
    noEmit: true,
    jsx: 'react-jsx',
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    erasableSyntaxOnly: true,
    noFallthroughCasesInSwitch: true,
    noUncheckedSideEffectImports: true,
  },
  include: ['src'],
});

test('the documented codegen.ts generates what the documented clients compile with under the options of Vite', async () => {
  const { folder, run } = project('codegen.ts', codeOf('codegen.ts'), ...clients);
  await run('graphql-codegen');
  writeFileSync(join(folder, 'tsconfig.json'), viteOptions);
  await run('tsc', '-p', '.');
});

test('with the documented options, imports have endings and marked fields are never null', async () => {
  const option = 'scalars, strictScalars';
  const documented = codeOf('codegen.ts');
  expect(documented).toContain(option);
  const clientText = readMarkdownFiles().find(({ path }) => path === 'docs/clients.md')?.text;
  const more = ["importExtension: '.js'", 'nullability: { errorHandlingClient: true }'];
  for (const one of more) expect(clientText).toContain(`\`${one}\``);
  const configuration = documented.replace(option, `${more.join(', ')}, ${option}`);
  const { folder, run } = project('codegen.ts', configuration, 'clients/operations.ts');
  await run('graphql-codegen');
  const generated = (name: string) => readFileSync(join(folder, 'src/gql', name), 'utf8');
  expect(generated('index.ts')).toContain('"./gql.js"');
  const plain = readFileSync(join(consumer, 'clients/gql/graphql.ts'), 'utf8');
  expect(plain).toMatch(/PaymentsQuery = .*pageInfo: \{[^}]*\} \} \| null \} \| null \};/);
  expect(generated('graphql.ts')).toMatch(
    /PaymentsQuery = .*pageInfo: \{[^}]*\} \} \} \| null \};/,
  );
});

test('the documented relay.config.json compiles', async () => {
  const text = codeOf('relay.config.json');
  const { run } = project('relay.config.json', text, 'relay/transaction-row.ts');
  await run('relay-compiler');
});

/** The commands of the block in docs/clients.md that contains a text. */
function commandsWith(text: string): string {
  const clientText = readMarkdownFiles().find(({ path }) => path === 'docs/clients.md')?.text ?? '';
  const block = readCodeBlocks(clientText).find(({ code }) => code.includes(text));
  if (block === undefined) throw new Error(`docs/clients.md has no block with ${text}.`);
  return block.code;
}

test('the documented command of genql generates a client with the types of the scalars', () => {
  const { folder } = project('package.json', '{ "type": "module" }');
  const [, ...generate] = commandsWith('npx genql').split('\n');
  execFileSync('sh', ['-ec', generate.join('\n')], { cwd: folder, stdio: 'pipe' });
  const types = readFileSync(join(folder, 'src/generated/schema.ts'), 'utf8');
  for (const [name, type] of Object.entries(scalars)) expect(types).toContain(`${name}: ${type},`);
});

test('the documented commands install the packed schema', () => {
  const parent = mkdtempSync(join(tmpdir(), 'tillgraph-documents-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  symlinkSync(root, join(parent, 'tillgraph'));
  const folder = join(parent, 'frontend');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "frontend" }');
  execFileSync('sh', ['-ec', commandsWith('npm pack')], { cwd: folder, stdio: 'pipe' });
  const installed = join(folder, 'node_modules/tillgraph-schema');
  for (const file of [
    'schema.graphql',
    'scalars.json',
    'possible-types.json',
    'introspection.json',
  ]) {
    expect(readFileSync(join(installed, file))).toEqual(readFileSync(join(root, 'schema', file)));
  }
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(version).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
});
